import { describe, expect, it } from 'vitest';
import { apply, baseAt, basePose, compose, coordinatesAt, jointValue, locate, origin, poses, rotationAbout, turn, valueAt } from '../src/kinematics';
import { asReport, type Joint, type Model, type Vec3 } from '../src/report';
import checked from './data/stanford_motion.json';

const at = (x: number, y: number, z: number) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];

function joint(more: Partial<Joint>): Joint {
  return {
    name: 'j',
    kind: 'revolute',
    parent: 0,
    child: 1,
    coordinate: 0,
    before: at(0, 0, 0),
    after: at(0, 0, 0),
    axis: [0, 0, 1],
    ratio: 1,
    offset: 0,
    lower: null,
    upper: null,
    unit: 'rad',
    ...more,
  };
}

function model(joints: Joint[]): Model {
  const link = { name: '', mass: 1, com: [0, 0, 0] as Vec3, ellipsoid: null };
  return { name: '', source: '', gravity: [0, 0, -9.81], links: [link, ...joints.map(() => link)], joints };
}

function close(actual: readonly number[], expected: readonly number[], tolerance = 1e-12): void {
  expect(actual.length).toBe(expected.length);
  actual.forEach((value, i) => expect(Math.abs(value - expected[i]!), `entry ${i}: ${value} and ${expected[i]}`).toBeLessThanOrEqual(tolerance));
}

describe('poses', () => {
  it('of two links in a plane are those of the textbook', () => {
    const l1 = 0.7,
      l2 = 0.4;
    const arm = model([joint({}), joint({ parent: 1, child: 2, coordinate: 1, before: at(l1, 0, 0) })]);
    for (const [q1, q2] of [
      [0, 0],
      [0.3, -1.1],
      [2.5, 4],
    ] as const) {
      const found = poses(arm, [q1, q2]);
      close(apply(found.links[2]!, [l2, 0, 0]), [l1 * Math.cos(q1) + l2 * Math.cos(q1 + q2), l1 * Math.sin(q1) + l2 * Math.sin(q1 + q2), 0]);
    }
  });

  it('slide along the axis of a prismatic joint, in the frame before it', () => {
    const quarter = [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]; // x to y
    const found = poses(model([joint({ kind: 'prismatic', before: quarter, axis: [1, 0, 0], after: at(0, 0, 2) })]), [0.25]);
    close(origin(found.fixed[0]!), [0, 0, 0]);
    close(origin(found.moved[0]!), [0, 0.25, 0]);
    close(origin(found.links[1]!), [0, 0.25, 2]);
  });

  it('of mimic, locked and fixed joints follow ratio and offset', () => {
    expect(jointValue(joint({ coordinate: 1, ratio: -0.5, offset: 0.2 }), [9, 0.6])).toBeCloseTo(-0.1, 14);
    expect(jointValue(joint({ coordinate: null, offset: 0.4 }), [9])).toBe(0.4);
    close(poses(model([joint({ kind: 'fixed', coordinate: null, before: at(1, 2, 3), offset: 5 })]), []).links[1]!, at(1, 2, 3));
  });

  it('about a slanted axis leave the axis alone and turn by the angle', () => {
    const axis: Vec3 = [1 / 3, 2 / 3, 2 / 3];
    const R = rotationAbout(axis, 1.234);
    close(turn(R, axis), axis);
    expect(R[0]! + R[5]! + R[10]!).toBeCloseTo(1 + 2 * Math.cos(1.234), 12);
    close(compose(R, rotationAbout(axis, -1.234)), at(0, 0, 0));
    close(turn(rotationAbout([0, 0, 1], Math.PI / 2), [1, 0, 0]), [0, 1, 0]); // the right hand
  });

  it('are those that the program computed', () => {
    const report = asReport(checked);
    const motion = report.motion!;
    expect(motion.poses_check.length).toBeGreaterThan(5);
    let moved = 0;
    for (const check of motion.poses_check) {
      const found = poses(
        report.model,
        motion.q.map((row) => row[check.sample]!),
      ).links[check.link]!;
      close(found, check.pose, 1e-12);
      if (Math.abs(found[0]! - 1) > 1e-3) ++moved;
    }
    expect(moved).toBeGreaterThan(2); // not all at rest in the base frame
  });
});

describe('time', () => {
  const t = [0, 1, 3];
  it('is found between samples and held at the ends', () => {
    expect(locate(t, 2)).toEqual({ index: 1, part: 0.5 });
    expect(locate(t, 1)).toEqual({ index: 1, part: 0 });
    expect(locate(t, -5)).toEqual({ index: 0, part: 0 });
    expect(locate(t, 7)).toEqual({ index: 2, part: 0 });
    expect(locate([], 1)).toEqual({ index: 0, part: 0 });
    expect(valueAt(t, [0, 10, 20], 2)).toBe(15);
    expect(valueAt(t, [], 2)).toBeNaN();
  });

  it('gives coordinates that can be drawn even where the motion has a gap', () => {
    const motion = asReport({
      motion: {
        t,
        q: [
          [0, 2, 4],
          [1, null, 3],
        ],
      },
    }).motion!;
    expect(coordinatesAt(motion, 2)).toEqual([3, 0]);
  });

  it('carries the robot along with a base that moves', () => {
    const half = Math.SQRT1_2; // a quarter turn about z
    const motion = asReport({ motion: { t: [0, 1], base: [[0, 2], [0, 4], [0, 6], [0, 0], [0, 0], [0, -half], [1, -half]], q: [[0, 0]] } }).motion!;
    // Half way the quaternion and its negative are the same attitude: an eighth of a turn.
    const middle = baseAt(motion, 0.5);
    close([...origin(middle)], [1, 2, 3]);
    close([...turn(middle, [1, 0, 0])], [Math.cos(Math.PI / 4), Math.sin(Math.PI / 4), 0]);
    close([...apply(baseAt(motion, 1), [1, 0, 0])], [2, 5, 6]);
    const arm = model([joint({ kind: 'fixed', coordinate: null, before: at(1, 0, 0) })]);
    close([...origin(poses(arm, [], baseAt(motion, 1)).links[1]!)], [2, 5, 6]);
    close([...apply(basePose([1, 2, Math.PI / 2]), [1, 0, 0])], [1, 3, 0]);
    expect(asReport({ motion: { t: [0], q: [[0]] } }).motion!.base).toEqual([]);
    expect(basePose([])).toEqual(basePose([NaN, 0, 0]));
  });
});
