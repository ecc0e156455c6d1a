import { describe, expect, it } from 'vitest';
import { axisRange, energyChart, motionCharts, positionChart, torqueChart, velocityChart } from '../src/chart_series';
import { makeCharts, nearest, Shown, spaced } from '../src/chart_view';
import { Clock } from '../src/clock';
import { growthSpec } from '../src/growth';
import { asReport } from '../src/report';
import { seriesDash, seriesName } from '../src/theme';
import { sampleReport } from './sample_report.mjs';

const motion = asReport(sampleReport()).motion!;

describe('curves of a motion', () => {
  it('are one for each joint, and three of energy', () => {
    expect(motionCharts(motion).map((chart) => [chart.title, chart.curves.length])).toEqual([
      ['Positions', 4],
      ['Velocities', 4],
      ['Torques and forces', 4],
      ['Energy', 3],
    ]);
  });

  it('have the units of their joints, each unit with an axis', () => {
    expect(positionChart(motion).curves.map((curve) => curve.unit)).toEqual(['rad', 'rad', 'm', 'rad']);
    expect(velocityChart(motion).units).toEqual(['rad/s', 'm/s']);
    expect(torqueChart(motion).units).toEqual(['N m', 'N']);
    expect(energyChart(motion).units).toEqual(['J']);
  });

  it('leave out what was not computed', () => {
    const bare = asReport({ motion: { t: [0, 1], q: [[0, 1]] } }).motion!;
    expect(motionCharts(bare).map((chart) => chart.title)).toEqual(['Positions']);
    expect(motionCharts({ ...motion, q: [], v: [], tau: [], energy: null })).toEqual([]);
  });
});

it('an axis holds its own curves with room, and does not magnify rounding noise', () => {
  const curve = (unit: string, values: number[]) => ({ label: '', unit, values, colour: 0 });
  const [low, high] = axisRange([curve('rad', [0, 10]), curve('m', [100, 200]), curve('rad', [NaN, -10])], 'rad');
  expect(low).toBeLessThan(-10);
  expect(low).toBeGreaterThan(-13);
  expect(high).toBeGreaterThan(10);
  expect(high).toBeLessThan(13);
  const [flatLow, flatHigh] = axisRange([curve('J', [5, 5 + 1e-12, 5])], 'J');
  expect(flatHigh - flatLow).toBeGreaterThan(0.5);
  expect(axisRange([], 'J')).toEqual([-1, 1]);
});

it('a switch is one for a joint in all charts; a double click leaves one, a second brings all back', () => {
  const shown = new Shown();
  let told = 0;
  shown.onChange(() => ++told);
  shown.toggle(2);
  expect([shown.has(1), shown.has(2)]).toEqual([true, false]);
  shown.single(1, 4);
  expect([0, 1, 2, 3].map((i) => shown.has(i))).toEqual([false, true, false, false]);
  shown.single(1, 4);
  expect([0, 1, 2, 3].every((i) => shown.has(i))).toBe(true);
  expect(told).toBe(3);
});

it('38 curves differ by colour or dash', () => {
  const looks = new Set(Array.from({ length: 38 }, (_, i) => `${seriesName(i)} ${seriesDash(i).join()}`));
  expect(looks.size).toBe(38);
});

it('growth keeps the series that fit its joints, and has no logarithm of zero', () => {
  const spec = growthSpec({
    quantity: 'torque',
    joints: [2, 3, 4],
    series: [
      { formulation: 'a', title: 'A', operations: [10, 20, 40] },
      { formulation: 'b', title: 'B', operations: [0, 5, 9] },
      { formulation: 'c', title: 'C', operations: [1, 2] },
      { formulation: 'd', title: 'D', operations: [NaN, NaN, NaN] },
    ],
  });
  expect(spec.curves.map((curve) => curve.label)).toEqual(['a', 'b']);
  expect(spec.curves[1]!.values).toEqual([NaN, 5, 9]);
});

it('labels that would touch are left out', () => {
  expect(spaced([7, 8, 9, 10], [0, 20, 30, 45])).toEqual([7, 8, null, 10]);
});

it('charts on the page: a button for each curve, names as plain text, one switch for a joint in all charts, and the clock in every legend', () => {
  const live = document.createElement('div');
  const clock = new Clock(motion.t);
  const named = { ...motion, joints: ['<b>bold</b>', ...motion.joints.slice(1)] };
  expect(makeCharts(live, motionCharts(named), named.t, clock, 'the motion')).toBe(true);
  const charts = [...live.querySelectorAll('.live-chart')];
  expect(charts.map((chart) => chart.querySelectorAll('.live-legend button').length)).toEqual([4, 4, 4, 3]);
  expect(live.querySelector('b')).toBeNull();
  expect(live.querySelector('.live-name')!.textContent).toBe('<b>bold</b>');
  const pressed = (chart: Element) => [...chart.querySelectorAll('button')].map((button) => button.getAttribute('aria-pressed'));
  charts[0]!.querySelectorAll('button')[2]!.click();
  expect(charts.map((chart) => pressed(chart)[2])).toEqual(['false', 'false', 'false', 'true']); // energy is not of joints
  const before = charts[1]!.querySelector('.live-value')!.textContent;
  clock.set(2);
  expect(charts[1]!.querySelector('.live-value')!.textContent).not.toBe(before);
  expect(makeCharts(live, [], [], clock, '')).toBe(false);
});

it('the cursor snaps to the nearest number of joints', () => {
  expect(nearest([2, 4, 8], 5.9)).toBe(4);
  expect(nearest([2, 4, 8], 6.1)).toBe(8);
  expect(nearest([], 3)).toBe(3);
});
