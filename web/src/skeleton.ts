// What is drawn of a robot besides its ellipsoids: sticks between joint frames, its size, and the way of its tip.

import { apply, baseAt, coordinatesAt, origin, poses, type Poses } from './kinematics';
import type { Model, Motion, Vec3 } from './report';

export interface Stick {
  from: Vec3;
  to: Vec3;
  link: number;
  rail: boolean;
} // rail: the way of a prismatic joint

export function distance(a: Vec3, b: Vec3): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The sticks at some poses; their number does not depend on the poses. */
export function sticks(model: Model, at: Poses): Stick[] {
  const found: Stick[] = [];
  model.links.forEach((link, l) => {
    const inbound = model.joints.findIndex((joint) => joint.child === l);
    const from: Vec3 = origin(inbound < 0 ? at.links[l]! : at.moved[inbound]!);
    if (inbound >= 0 && model.joints[inbound]!.kind === 'prismatic') found.push({ from: origin(at.fixed[inbound]!), to: from, link: l, rail: true });
    let outbound = 0;
    model.joints.forEach((joint, j) => {
      if (joint.parent !== l) return;
      ++outbound;
      found.push({ from, to: origin(at.fixed[j]!), link: l, rail: false });
    });
    if (outbound === 0 && inbound >= 0) {
      // a last link reaches to its frame, or to its mass centre when that is the joint's own
      const frame = origin(at.links[l]!);
      found.push({ from, to: distance(from, frame) > 1e-9 || !(link.mass > 0) ? frame : apply(at.links[l]!, link.com), link: l, rail: false });
    }
  });
  return found;
}

/** Radii of the capsules that links are drawn as: thinner from the base to the tips, and none so thick that its link looks like a ball. */
export function radii(model: Model, size: number): number[] {
  const depth = model.links.map(() => 0);
  for (const joint of model.joints) depth[joint.child] = depth[joint.parent]! + (joint.kind === 'fixed' ? 0 : 1);
  const deepest = Math.max(1, ...depth);
  const longest = model.links.map(() => 0);
  for (const stick of sticks(model, poses(model, [])))
    if (!stick.rail) longest[stick.link] = Math.max(longest[stick.link]!, distance(stick.from, stick.to));
  return model.links.map((_, l) => {
    const usual = (0.07 - 0.035 * (depth[l]! / deepest)) * size;
    return longest[l]! > 0 ? Math.max(0.012 * size, Math.min(usual, 0.4 * longest[l]!)) : 0.5 * usual;
  });
}

/** The link whose way is traced: the one most joints away from the base, the first of several. -1 without joints. */
export function tipLink(model: Model): number {
  const depth = model.links.map(() => 0);
  let tip = -1;
  for (const joint of model.joints) {
    depth[joint.child] = depth[joint.parent]! + 1;
    if (tip < 0 || depth[joint.child]! > depth[tip]!) tip = joint.child;
  }
  return tip;
}

function tipPoint(model: Model, at: Poses, tip: number): Vec3 {
  const drawn = sticks(model, at).filter((stick) => stick.link === tip);
  return drawn.length > 0 ? drawn[drawn.length - 1]!.to : origin(at.links[tip]!);
}

export interface Survey {
  centre: Vec3;
  radius: number; // of a ball that holds joints and mass centres all along the motion
  size: number; // a length of the robot to which markers are drawn
  trail: { t: number; at: Vec3 }[];
  points: Vec3[]; // what a view must hold
}

/** The six ends of an ellipsoid's axes, in the frame of its link. */
function axisEnds(com: Vec3, ellipsoid: { axes: Vec3; rotation: number[] }): Vec3[] {
  return [0, 1, 2].flatMap((axis) => [-1, 1].map((sign) => com.map((x, i) => x + sign * ellipsoid.axes[axis]! * ellipsoid.rotation[3 * i + axis]!) as Vec3));
}

/** One walk through the motion, at some samples of it; `inertias`: ellipsoids are to be seen, too. */
export function survey(model: Model, motion: Motion | null, inertias = false, samples = 160): Survey {
  const low: Vec3 = [0, 0, 0],
    high: Vec3 = [0, 0, 0];
  const points: Vec3[] = [[0, 0, 0]];
  const hold = (p: Vec3) => {
    if (!p.every(Number.isFinite)) return;
    points.push(p);
    p.forEach((x, i) => {
      low[i] = Math.min(low[i]!, x);
      high[i] = Math.max(high[i]!, x);
    });
  };
  const tip = tipLink(model);
  const trail: { t: number; at: Vec3 }[] = [];
  const coordinates = model.joints.reduce((n, joint) => Math.max(n, (joint.coordinate ?? -1) + 1), 0);
  const t0 = motion?.t[0] ?? 0;
  const t1 = motion?.t[motion.t.length - 1] ?? t0;
  const steps = motion && t1 > t0 ? samples : 0;
  for (let k = 0; k <= steps; ++k) {
    const t = t0 + (steps ? (k / steps) * (t1 - t0) : 0);
    const at = motion ? poses(model, coordinatesAt(motion, t), baseAt(motion, t)) : poses(model, new Array<number>(coordinates).fill(0));
    for (const pose of at.moved) hold(origin(pose));
    if (at.links[0]) hold(origin(at.links[0]));
    model.links.forEach((link, l) => {
      if (!(link.mass > 0)) return;
      if (link.ellipsoid && inertias) for (const end of axisEnds(link.com, link.ellipsoid)) hold(apply(at.links[l]!, end));
      else hold(apply(at.links[l]!, link.com));
    });
    if (tip >= 0) {
      const p = tipPoint(model, at, tip);
      hold(p);
      if (steps) trail.push({ t, at: p });
    }
  }
  const diagonal = distance(low, high);
  const radius = diagonal > 1e-9 ? diagonal / 2 : 0.5;
  return { centre: [0, 1, 2].map((i) => (low[i]! + high[i]!) / 2) as Vec3, radius, size: radius, trail, points };
}

/** Against gravity; z without gravity. */
export function upward(gravity: Vec3): Vec3 {
  const g = Math.hypot(...gravity);
  return g > 0 ? (gravity.map((x) => -x / g) as Vec3) : [0, 0, 1];
}
