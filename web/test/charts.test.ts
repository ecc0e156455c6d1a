import { beforeEach, describe, expect, it } from 'vitest';
import { axesOf, enlivenGrowth, enlivenMotion, growthSource, motionSource, nearest, Shown } from '../src/charts';
import { Clock } from '../src/clock';
import { asReport } from '../src/report';
import { drawnGrowth, drawnMotion, sampleReport } from './sample_report.mjs';

const report = asReport(sampleReport());
const motion = report.motion!;

function figureOf(drawing: string): HTMLElement {
  const figure = document.createElement('figure');
  figure.innerHTML = `<div class="static">${drawing}</div>`;
  document.body.append(figure);
  return figure;
}

beforeEach(() => document.body.replaceChildren());

describe('the numbers behind a curve', () => {
  it('are those of the motion, with the units of their joints', () => {
    const source = motionSource(motion);
    expect(source('q', '2')).toEqual({ label: motion.joints[2], unit: 'm', values: motion.q[2] });
    expect(source('v', '0')!.unit).toBe('rad/s');
    expect(source('tau', '2')!.unit).toBe('N');
    expect(source('energy', '2')).toEqual({ label: 'total', unit: 'J', values: motion.energy!.total });
  });

  it('are none where nothing was computed', () => {
    expect(motionSource({ ...motion, v: [], energy: null })('v', '0')).toBeNull();
    expect(motionSource({ ...motion, energy: null })('energy', '0')).toBeNull();
    expect(motionSource(motion)('pressure', '0')).toBeNull();
    expect(growthSource(report.growth)('torque', 'nobody')).toBeNull();
    expect(growthSource(report.growth)('torque', 'ulna')!.values[4]).toBe(140 * 6 - 120);
  });
});

describe('axes', () => {
  const plot = (data: string) => figureOf(`<svg><g class="plot" ${data}></g></svg>`).querySelector<SVGElement>('.plot')!;

  it('go there and back, linear and logarithmic', () => {
    const linear = axesOf(plot('data-left="100" data-top="10" data-width="200" data-height="50" data-from="2" data-to="4" data-low="-1" data-high="1"'))!;
    expect([linear.x(3), linear.y(1), linear.y(-1), linear.value(150)]).toEqual([200, 10, 60, 2.5]);
    const log = axesOf(
      plot('data-left="0" data-top="0" data-width="100" data-height="100" data-from="1" data-to="100" data-low="10" data-high="1000" data-scale="log"'),
    )!;
    expect(log.x(10)).toBeCloseTo(50, 9);
    expect(log.y(100)).toBeCloseTo(50, 9);
    expect(log.value(50)).toBeCloseTo(10, 9);
  });

  it('that are missing or make no sense are none', () => {
    expect(axesOf(plot(''))).toBeNull();
    expect(axesOf(plot('data-left="0" data-top="0" data-width="100" data-height="9" data-from="1" data-to="1" data-low="0" data-high="1"'))).toBeNull();
  });
});

it('a switch is one for a joint in all charts; a double click leaves one, a second brings all back', () => {
  const shown = new Shown();
  let told = 0;
  shown.onChange(() => ++told);
  const rows = ['0', '1', '2', '3'];
  shown.choose(['2'], false);
  expect([shown.has('1'), shown.has('1', false), shown.has('2')]).toEqual([true, false, false]);
  shown.single('1', rows);
  expect(rows.map((row) => shown.has(row))).toEqual([false, true, false, false]);
  shown.single('1', rows);
  expect(rows.every((row) => shown.has(row))).toBe(true);
  expect(told).toBe(3);
});

describe('a drawn motion', () => {
  it('gets a legend for each plot, a cursor and dots; names are plain text; one switch for a joint in all charts', () => {
    const named = { ...motion, joints: ['<b>bold</b>', ...motion.joints.slice(1)] };
    const figure = figureOf(drawnMotion(sampleReport().motion));
    const clock = new Clock(motion.t);
    expect(enlivenMotion(figure, named, clock, 'the motion')).toBe(true);
    const legends = [...figure.querySelectorAll('.live-legend')];
    expect(legends.map((legend) => legend.querySelectorAll('button').length)).toEqual([4, 4, 4, 3]);
    expect(figure.querySelectorAll('.live-dot').length).toBe(15);
    expect(figure.querySelector('b')).toBeNull();
    expect(figure.querySelector('.live-name')!.textContent).toBe('<b>bold</b>');
    legends[0]!.querySelectorAll('button')[2]!.click();
    const pressed = (legend: Element) => [...legend.querySelectorAll('button')].map((button) => button.getAttribute('aria-pressed'));
    expect(legends.map((legend) => pressed(legend)[2])).toEqual(['false', 'false', 'false', 'true']); // energy is not of joints
    const curves = [...figure.querySelectorAll('.plot')].map((plot) => plot.querySelectorAll('.curve')[2]!.getAttribute('visibility'));
    expect(curves).toEqual(['hidden', 'hidden', 'hidden', 'visible']);
  });

  it('shows where the clock stands: cursor, dots on their curves, values', () => {
    const figure = figureOf(drawnMotion(sampleReport().motion));
    const clock = new Clock(motion.t);
    enlivenMotion(figure, motion, clock, 'the motion');
    clock.set(motion.t[100]!);
    const plot = figure.querySelector<SVGElement>('.plot')!;
    const axes = axesOf(plot)!;
    expect(Number(figure.querySelector('.live-cursor')!.getAttribute('x1'))).toBeCloseTo(axes.x(motion.t[100]!), 9);
    expect(Number(figure.querySelector('.live-dot')!.getAttribute('cy'))).toBeCloseTo(axes.y(motion.q[0]![100]!), 6);
    const before = figure.querySelector('.live-value')!.textContent;
    clock.set(2);
    expect(figure.querySelector('.live-value')!.textContent).not.toBe(before);
    const over = figure.querySelector('.live-over')!;
    over.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
    expect(clock.time).toBe(clock.end);
    expect(over.getAttribute('aria-valuenow')).toBe(String(clock.end));
  });

  it('keeps curves hidden that were drawn so, until they are asked for', () => {
    const figure = figureOf(drawnMotion(sampleReport().motion).replace('data-row="3"', 'data-row="3" visibility="hidden"'));
    enlivenMotion(figure, motion, new Clock(motion.t), 'the motion');
    const curve = figure.querySelectorAll('.curve')[3]!;
    const button = figure.querySelectorAll('button')[3]!;
    expect([curve.getAttribute('visibility'), button.getAttribute('aria-pressed')]).toEqual(['hidden', 'false']);
    button.click();
    expect(curve.getAttribute('visibility')).toBe('visible');
  });

  it('stays as it is where there are no plots, or no data for them', () => {
    expect(enlivenMotion(figureOf('<svg></svg>'), motion, new Clock(motion.t), '')).toBe(false);
    expect(enlivenMotion(figureOf(drawnMotion(sampleReport().motion)), { ...motion, q: [], v: [], tau: [], energy: null }, new Clock(motion.t), '')).toBe(false);
  });
});

it('drawn growth: the cursor takes numbers of joints only', () => {
  const figure = figureOf(drawnGrowth(sampleReport().growth));
  expect(enlivenGrowth(figure, report.growth)).toBe(true);
  expect(figure.querySelectorAll('.live-legend button').length).toBe(3);
  const over = figure.querySelector('.live-over')!;
  expect(over.getAttribute('aria-valuetext')).toBe('6 joints');
  over.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
  expect(over.getAttribute('aria-valuetext')).toBe('7 joints');
  expect([...figure.querySelectorAll('.live-value')].map((value) => value.textContent)).toContain(String(140 * 7 - 120));
  expect(enlivenGrowth(figureOf('<svg></svg>'), report.growth)).toBe(false);
});

it('the cursor snaps to the nearest place', () => {
  expect(nearest([2, 4, 8], 5.9)).toBe(4);
  expect(nearest([2, 4, 8], 6.1)).toBe(8);
  expect(nearest([], 3)).toBe(3);
});
