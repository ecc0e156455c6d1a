// Turning around a point: azimuth, elevation and distance about an upward direction, by mouse, touch and keys.

import type { Vec3 } from './report';

export interface View {
  azimuth: number;
  elevation: number;
  distance: number;
  target: Vec3;
}

const steepest = Math.PI / 2 - 0.02;

/** Two directions that make a right-handed frame with the upward one. */
export function horizon(up: Vec3): [Vec3, Vec3] {
  // x stays x when up is z, as in most robots.
  const seed: Vec3 = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const along = seed[0] * up[0] + seed[1] * up[1] + seed[2] * up[2];
  const raw = seed.map((s, i) => s - along * up[i]!) as Vec3;
  const length = Math.hypot(...raw);
  const e1 = raw.map((r) => r / length) as Vec3;
  const e2: Vec3 = [up[1] * e1[2] - up[2] * e1[1], up[2] * e1[0] - up[0] * e1[2], up[0] * e1[1] - up[1] * e1[0]];
  return [e1, e2];
}

/** The axes of the picture (right, upward, towards the eye) for a direction of view. */
export function pictureAxes(azimuth: number, elevation: number, up: Vec3): [Vec3, Vec3, Vec3] {
  const [e1, e2] = horizon(up);
  const mix = (a: number, b: number, c: number) => [0, 1, 2].map((i) => a * e1[i]! + b * e2[i]! + c * up[i]!) as Vec3;
  const ca = Math.cos(azimuth),
    sa = Math.sin(azimuth),
    ce = Math.cos(elevation),
    se = Math.sin(elevation);
  return [mix(-sa, ca, 0), mix(-se * ca, -se * sa, ce), mix(ce * ca, ce * sa, se)];
}

function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/**
 * The nearest view from a direction that holds all points: slopeX and slopeY are the tangents of half the angles of view.
 * Cost: a few passes over the points.
 */
export function fitView(points: readonly Vec3[], azimuth: number, elevation: number, up: Vec3, slopeX: number, slopeY: number): View {
  const axes = pictureAxes(azimuth, elevation, up);
  // The middle of what is seen, first as if from far away, then moved by what perspective adds.
  const target: Vec3 = [0, 0, 0];
  let distance = 0;
  const place: Vec3 = [0, 0, 0]; // the target along the three axes
  const seen = points.map((p) => axes.map((axis) => dot(p, axis)) as Vec3);
  for (const i of [0, 1, 2]) {
    const values = seen.map((p) => p[i]!);
    place[i] = (values.reduce((a, b) => Math.min(a, b), Infinity) + values.reduce((a, b) => Math.max(a, b), -Infinity)) / 2;
  }
  for (let round = 0; round < 3; ++round) {
    distance = seen.reduce((most, p) => Math.max(most, p[2] - place[2] + Math.max(Math.abs(p[0] - place[0]) / slopeX, Math.abs(p[1] - place[1]) / slopeY)), 0);
    if (!(distance > 0)) break;
    for (const i of [0, 1]) {
      const slopes = seen.map((p) => (p[i]! - place[i]!) / Math.max(1e-9, distance + place[2] - p[2]));
      const middle = (slopes.reduce((a, b) => Math.min(a, b), Infinity) + slopes.reduce((a, b) => Math.max(a, b), -Infinity)) / 2;
      place[i]! += middle * distance;
    }
  }
  axes.forEach((axis, k) =>
    axis.forEach((x, i) => {
      target[i]! += place[k]! * x;
    }),
  );
  return { azimuth, elevation, distance: distance > 0 ? distance : 1, target };
}

export class Orbit {
  view: View;
  private home_: View;
  private readonly frame_: [Vec3, Vec3, Vec3];
  private readonly pointers_ = new Map<number, { x: number; y: number }>();

  constructor(
    home: View,
    up: Vec3,
    private readonly onChange_: () => void,
  ) {
    this.home_ = home;
    this.view = { ...home, target: [...home.target] };
    this.frame_ = [...horizon(up), up];
  }

  /** Where the eye is. */
  eye(): Vec3 {
    const { azimuth, elevation, distance, target } = this.view;
    const [e1, e2, up] = this.frame_;
    const c = Math.cos(elevation) * distance;
    return target.map((x, i) => x + c * Math.cos(azimuth) * e1[i]! + c * Math.sin(azimuth) * e2[i]! + Math.sin(elevation) * distance * up[i]!) as Vec3;
  }

  turn(azimuth: number, elevation: number): void {
    this.view.azimuth += azimuth;
    this.view.elevation = Math.min(steepest, Math.max(-steepest, this.view.elevation + elevation));
    this.onChange_();
  }

  zoom(factor: number): void {
    const near = this.home_.distance / 20,
      far = this.home_.distance * 6;
    this.view.distance = Math.min(far, Math.max(near, this.view.distance * factor));
    this.onChange_();
  }

  /** Moves the target sideways and upwards, in parts of the distance. */
  pan(right: number, upwards: number): void {
    const [e1, e2, up] = this.frame_;
    const { azimuth, distance, target } = this.view;
    this.view.target = target.map((x, i) => x + distance * (right * (Math.cos(azimuth) * e2[i]! - Math.sin(azimuth) * e1[i]!) + upwards * up[i]!)) as Vec3;
    this.onChange_();
  }

  /** A new view to come back to; taken at once unless the reader has turned the old one. */
  setHome(home: View): void {
    const untouched = JSON.stringify(this.view) === JSON.stringify(this.home_);
    this.home_ = home;
    if (untouched) this.reset();
  }

  reset(): void {
    this.view = { ...this.home_, target: [...this.home_.target] };
    this.onChange_();
  }

  /** True when the key was one of the view's. */
  key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const step = Math.PI / 24;
    switch (event.key) {
      case 'ArrowLeft':
        this.turn(-step, 0);
        return true;
      case 'ArrowRight':
        this.turn(step, 0);
        return true;
      case 'ArrowUp':
        this.turn(0, step);
        return true;
      case 'ArrowDown':
        this.turn(0, -step);
        return true;
      case '+':
      case '=':
        this.zoom(1 / 1.15);
        return true;
      case '-':
      case '_':
        this.zoom(1.15);
        return true;
      case '0':
        this.reset();
        return true;
      default:
        return false;
    }
  }

  /**
   * Drag turns; drag with Shift or the right button moves; two fingers turn and zoom.
   * The page itself keeps the plain wheel and the one-finger vertical swipe.
   */
  attach(element: HTMLElement): void {
    element.style.touchAction = 'pan-y';
    element.addEventListener('pointerdown', (event) => {
      this.pointers_.set(event.pointerId, { x: event.clientX, y: event.clientY });
      element.setPointerCapture?.(event.pointerId);
    });
    const gone = (event: PointerEvent) => this.pointers_.delete(event.pointerId);
    element.addEventListener('pointerup', gone);
    element.addEventListener('pointercancel', gone);
    element.addEventListener('contextmenu', (event) => event.preventDefault());
    element.addEventListener('pointermove', (event) => {
      const last = this.pointers_.get(event.pointerId);
      if (!last) return;
      const dx = event.clientX - last.x,
        dy = event.clientY - last.y;
      const height = element.clientHeight || 400;
      if (this.pointers_.size === 2) {
        const other = [...this.pointers_].find(([id]) => id !== event.pointerId)![1];
        const before = Math.hypot(last.x - other.x, last.y - other.y);
        const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        if (before > 0 && after > 0) this.zoom(before / after);
        this.turn((-dx / height) * 1.5, (dy / height) * 1.5);
      } else if (event.shiftKey || (event.buttons & 2) !== 0) {
        this.pan((-dx / height) * 0.6, (dy / height) * 0.6);
      } else {
        this.turn((-dx / height) * 3.5, (dy / height) * 3.5);
      }
      last.x = event.clientX;
      last.y = event.clientY;
    });
    element.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // a pinch on a touch pad comes as Ctrl and wheel
        event.preventDefault();
        this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005));
      },
      { passive: false },
    );
  }
}
