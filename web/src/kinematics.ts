// Where the links are: a composition of given frames. Poses are 3x4 by rows, [R | p], as in the report.

import type { Joint, Model, Motion, Vec3 } from './report';

export type Pose = number[];

export const identityPose: Pose = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

export function compose(a: Pose, b: Pose): Pose {
  const c = new Array<number>(12);
  for (let row = 0; row < 12; row += 4) {
    const x = a[row]!,
      y = a[row + 1]!,
      z = a[row + 2]!;
    for (let column = 0; column < 4; ++column) c[row + column] = x * b[column]! + y * b[4 + column]! + z * b[8 + column]!;
    c[row + 3]! += a[row + 3]!;
  }
  return c;
}

export function apply(pose: Pose, p: Vec3): Vec3 {
  return [0, 4, 8].map((row) => pose[row]! * p[0] + pose[row + 1]! * p[1] + pose[row + 2]! * p[2] + pose[row + 3]!) as Vec3;
}

export function turn(pose: Pose, d: Vec3): Vec3 {
  return [0, 4, 8].map((row) => pose[row]! * d[0] + pose[row + 1]! * d[1] + pose[row + 2]! * d[2]) as Vec3;
}

export function origin(pose: Pose): Vec3 {
  return [pose[3]!, pose[7]!, pose[11]!];
}

/** The rotation by an angle about a unit axis (Rodrigues). */
export function rotationAbout([x, y, z]: Vec3, angle: number): Pose {
  const s = Math.sin(angle),
    c = Math.cos(angle),
    d = 1 - c;
  return [
    c + d * x * x,
    d * x * y - s * z,
    d * x * z + s * y,
    0,
    d * x * y + s * z,
    c + d * y * y,
    d * y * z - s * x,
    0,
    d * x * z - s * y,
    d * y * z + s * x,
    c + d * z * z,
    0,
  ];
}

/** X_FM: what the joint does at its own value (angle or way). */
export function jointMotion(joint: Joint, value: number): Pose {
  if (joint.kind === 'revolute' || joint.kind === 'continuous') return rotationAbout(joint.axis, value);
  if (joint.kind === 'prismatic') return [1, 0, 0, joint.axis[0] * value, 0, 1, 0, joint.axis[1] * value, 0, 0, 1, joint.axis[2] * value];
  return identityPose;
}

/** The joint's own value: a mimic joint follows its coordinate by ratio and offset, a locked one stands at its offset. */
export function jointValue(joint: Joint, q: readonly number[]): number {
  const coordinate = joint.coordinate === null ? 0 : (q[joint.coordinate] ?? 0);
  return joint.ratio * coordinate + joint.offset;
}

export interface Poses {
  links: Pose[]; // of each link frame in the base
  fixed: Pose[]; // of each joint's frame on its parent, X_WF
  moved: Pose[]; // of each joint's frame on its child, X_WM
}

/** All poses at the coordinates q, in the world, where the root link stands at `base`. A link that no joint moves stays at the base. */
export function poses(model: Model, q: readonly number[], base: Pose = identityPose): Poses {
  const links = model.links.map(() => base);
  const fixed: Pose[] = [],
    moved: Pose[] = [];
  for (const joint of model.joints) {
    const F = compose(links[joint.parent]!, joint.before);
    const M = compose(F, jointMotion(joint, jointValue(joint, q)));
    links[joint.child] = compose(M, joint.after);
    fixed.push(F);
    moved.push(M);
  }
  return { links, fixed, moved };
}

/** The place of t among the samples: t = (1 - part) times[index] + part times[index + 1]; held at both ends. */
export function locate(times: readonly number[], t: number): { index: number; part: number } {
  const last = times.length - 1;
  if (last < 1 || !(t > times[0]!)) return { index: 0, part: 0 };
  if (t >= times[last]!) return { index: last, part: 0 };
  let low = 0,
    high = last; // times[low] <= t < times[high]
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle;
  }
  return { index: low, part: (t - times[low]!) / (times[high]! - times[low]!) };
}

/** A sampled value at time t, by straight lines between the samples. */
export function valueAt(times: readonly number[], values: readonly number[], t: number): number {
  const { index, part } = locate(times, t);
  const a = values[index] ?? NaN;
  return part === 0 ? a : a + part * ((values[index + 1] ?? NaN) - a);
}

export function coordinatesAt(motion: Motion, t: number): number[] {
  const { index, part } = locate(motion.t, t);
  return motion.q.map((row) => {
    const a = row[index] ?? 0;
    const value = part === 0 ? a : a + part * ((row[index + 1] ?? a) - a);
    return Number.isFinite(value) ? value : 0;
  });
}

/** The pose of a free base from its position and quaternion x, y, z, w, which need not have unit length; of a planar one from x, y and yaw. */
export function basePose(numbers: readonly number[]): Pose {
  if (!numbers.every(Number.isFinite)) return identityPose;
  if (numbers.length === 3) {
    const [x, y, yaw] = numbers as [number, number, number];
    const pose = rotationAbout([0, 0, 1], yaw);
    pose[3] = x;
    pose[7] = y;
    return pose;
  }
  if (numbers.length !== 7) return identityPose;
  const [px, py, pz, qx, qy, qz, qw] = numbers as [number, number, number, number, number, number, number];
  const sine = Math.hypot(qx, qy, qz);
  const pose = sine > 0 ? rotationAbout([qx / sine, qy / sine, qz / sine], 2 * Math.atan2(sine, qw)) : [...identityPose];
  pose[3] = px;
  pose[7] = py;
  pose[11] = pz;
  return pose;
}

/** Where the base is at time t: numbers between samples lie on straight lines; a quaternion that jumps to its negative is the same attitude. */
export function baseAt(motion: Motion, t: number): Pose {
  const { index, part } = locate(motion.t, t);
  const a = motion.base.map((row) => row[index] ?? NaN);
  if (part === 0) return basePose(a);
  const b = motion.base.map((row) => row[index + 1] ?? NaN);
  const same = a.length < 7 || a.slice(3).reduce((sum, x, i) => sum + x * b[3 + i]!, 0) >= 0 ? 1 : -1;
  return basePose(a.map((x, i) => x + part * ((i < 3 ? b[i]! : same * b[i]!) - x)));
}
