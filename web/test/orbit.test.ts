import { expect, it } from 'vitest';
import { fitView, horizon, Orbit, pictureAxes } from '../src/orbit';
import type { Vec3 } from '../src/report';

const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

it('the horizon is a right-handed frame for any upward direction', () => {
  for (const up of [
    [0, 0, 1],
    [0, 0, -1],
    [1, 0, 0],
    [0, 1, 0],
    [0.6, 0, 0.8],
  ] as Vec3[]) {
    const [e1, e2] = horizon(up);
    expect(dot(e1, e1)).toBeCloseTo(1, 12);
    expect(dot(e1, up)).toBeCloseTo(0, 12);
    expect(dot(e2, up)).toBeCloseTo(0, 12);
    const cross: Vec3 = [e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]];
    expect(dot(cross, up)).toBeCloseTo(1, 12);
  }
});

it('a fitted view holds all points, and no more than it must', () => {
  const points: Vec3[] = [];
  for (let k = 0; k < 60; ++k) points.push([Math.sin(k * 7.1), 2 * Math.cos(k * 3.3), 0.5 * Math.sin(k * 1.7) + 1]);
  const up: Vec3 = [0, 0, 1];
  const view = fitView(points, -0.9, 0.4, up, 0.4, 0.25);
  const axes = pictureAxes(-0.9, 0.4, up);
  let most = 0;
  for (const p of points) {
    const d = p.map((x, i) => x - view.target[i]!) as Vec3;
    const depth = view.distance - dot(d, axes[2]);
    most = Math.max(most, Math.abs(dot(d, axes[0])) / depth / 0.4, Math.abs(dot(d, axes[1])) / depth / 0.25);
  }
  expect(most).toBeLessThan(1.08);
  expect(most).toBeGreaterThan(0.9);
  expect(fitView([[0, 0, 0]], 0, 0, up, 0.3, 0.3).distance).toBeGreaterThan(0);
});

it('keys turn, zoom and reset; the pole is not crossed', () => {
  const home = { azimuth: 0, elevation: 0.3, distance: 5, target: [0, 0, 0] as Vec3 };
  let drawn = 0;
  const orbit = new Orbit(home, [0, 0, 1], () => ++drawn);
  const press = (key: string) => orbit.key(new KeyboardEvent('keydown', { key }));
  press('ArrowRight');
  expect(orbit.view.azimuth).toBeGreaterThan(0);
  for (let k = 0; k < 50; ++k) press('ArrowUp');
  expect(orbit.view.elevation).toBeLessThan(Math.PI / 2);
  press('+');
  expect(orbit.view.distance).toBeLessThan(5);
  press('0');
  expect(orbit.view).toEqual(home);
  expect(press(' ')).toBe(false);
  expect(drawn).toBe(53);
  const eye = orbit.eye();
  expect(Math.hypot(...eye)).toBeCloseTo(5, 12);
  expect(eye[2]).toBeCloseTo(5 * Math.sin(0.3), 12);
});
