import { beforeEach, expect, it, vi } from 'vitest';
import { makeArmView } from '../src/arm_view';
import { enliven } from '../src/figure';
import { asReport, readReport } from '../src/report';
import { distance, radii, survey, sticks, tipLink, upward } from '../src/skeleton';
import { poses } from '../src/kinematics';
import { samplePage, sampleReport } from './sample_report.mjs';

beforeEach(() => {
  document.body.replaceChildren();
  document.head.replaceChildren();
});

function page(report: unknown): void {
  const parsed = new DOMParser().parseFromString(samplePage(report, ''), 'text/html');
  document.body.replaceChildren(...parsed.body.childNodes);
}

it('a report survives the way through the page', () => {
  page(sampleReport());
  const report = readReport(document)!;
  expect(report.model.joints.length).toBe(6);
  expect(report.model.links[4]!.name).toBe('<b>wrist</b>');
  expect(report).toEqual(asReport(sampleReport()));
});

it('worst runs of a campaign are motions; what is none is left out', () => {
  const report = asReport({ model: {}, runs: [{ title: 'run 3', t: [0, 1], q: [[0, 0.5]] }, null, { t: [] }] });
  expect(report.runs.map((run) => run.title)).toEqual(['run 3']);
  expect(report.runs[0]!.q).toEqual([[0, 0.5]]);
});

it('anything else is read as an empty report, never an error', () => {
  for (const value of [
    null,
    0,
    'x',
    [],
    {},
    { model: [] },
    { model: { links: [null], joints: [{}] } },
    { motion: {}, reference: { t: [] } },
    { counts: [{}], growth: [3], schedule: [{}], timing: [null] },
  ]) {
    const report = asReport(value);
    expect(report.motion).toBeNull();
    expect(report.model.joints).toEqual([]);
  }
  page(null);
  expect(readReport(document)).toBeNull();
  document.body.append(Object.assign(document.createElement('script'), { id: 'report', type: 'application/json', textContent: '{"format": ' }));
  expect(readReport(document)).toBeNull();
});

it('joints that name links which are not there are left out, rows of a wrong length become gaps', () => {
  const raw = sampleReport();
  raw.model.joints[5]!.child = 99;
  raw.motion!.q[1] = [1, 2, 3];
  const report = asReport(raw);
  expect(report.model.joints.length).toBe(5);
  expect(report.motion!.q.length).toBe(4); // the others keep their places
  expect(report.motion!.q[1]!.every(Number.isNaN)).toBe(true);
});

it('a figure that cannot be brought to life stays as it was', () => {
  page(sampleReport());
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  expect(
    enliven('figure-counts', true, () => {
      throw new Error('no');
    }),
  ).toBe(false);
  expect(enliven('figure-growth', false, () => false)).toBe(false);
  expect(enliven('figure-none', false, () => true)).toBe(false);
  expect(document.querySelector('.live, .is-live, .is-replaced')).toBeNull();
  expect(
    enliven('figure-timing', true, (live) => {
      live.append('x');
    }),
  ).toBe(true);
  const figure = document.getElementById('figure-timing')!;
  expect(figure.firstElementChild!.className).toBe('live');
  expect(figure.children[1]!.className).toBe('static');
  warn.mockRestore();
});

it('without WebGL the 3D view throws before it has changed anything, and the drawing stays', () => {
  page(sampleReport());
  const quiet = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')].map((spy) => spy.mockImplementation(() => undefined));
  const report = readReport(document)!;
  expect(enliven('figure-arm', true, (live, figure) => makeArmView(live, figure, report.model, []))).toBe(false);
  expect(document.getElementById('figure-arm')!.classList.contains('is-live')).toBe(false);
  quiet.forEach((spy) => spy.mockRestore());
});

it('the skeleton has a stick for each way between joints, and its number holds still', () => {
  const { model, motion } = asReport(sampleReport());
  const count = sticks(model, poses(model, [0, 0, 0, 0])).length;
  expect(sticks(model, poses(model, [1, -1, 0.2, 2])).length).toBe(count);
  expect(count).toBe(8); // base to joint 1, five links to the next joint, the rail, the tool
  expect(tipLink(model)).toBe(6);
  const found = survey(model, motion);
  expect(found.trail.length).toBeGreaterThan(100);
  expect(found.radius).toBeGreaterThan(0.3);
  expect(found.radius).toBeLessThan(2);
});

it('links are capsules that are thinner towards the tips and shorter than they are long', () => {
  const { model } = asReport(sampleReport());
  const thick = radii(model, 1);
  expect(thick.length).toBe(model.links.length);
  for (const radius of thick) expect(radius).toBeGreaterThan(0);
  for (const stick of sticks(model, poses(model, [0, 0, 0, 0])))
    if (!stick.rail) expect(2 * thick[stick.link]!).toBeLessThan(Math.max(distance(stick.from, stick.to), 0.03));
  // With ellipsoids a view must hold more.
  const { motion } = asReport(sampleReport());
  expect(survey(model, motion, true).points.length).toBeGreaterThan(survey(model, motion).points.length);
});

it('the links of a base that flies hang on it, not on the origin', () => {
  const { model } = asReport(sampleReport());
  const away = [1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7];
  for (const stick of sticks(model, poses(model, [0, 0, 0, 0], away))) expect(distance(stick.from, [0, 0, 0])).toBeGreaterThan(8);
});

it('a model without links, or all in one point, has a size', () => {
  expect(survey(asReport({}).model, null).radius).toBeGreaterThan(0);
  expect(upward([0, 0, 0])).toEqual([0, 0, 1]);
  expect(upward([0, 9.81, 0]).map((x) => x + 0)).toEqual([0, -1, 0]);
});

const empty = { counts: [], growth: [], schedule: [], timing: [], warnings: [] };
const cases: [string, unknown][] = [
  ['no report', null],
  ['an empty object', {}],
  ['no motion', { ...sampleReport(), motion: null, reference: null }],
  ['empty lists', { ...sampleReport(), ...empty }],
  ['empty motion', { ...sampleReport(), motion: { t: [], q: [] } }],
  ['nothing but a model', { format: 1, model: sampleReport().model }],
  ['runs of a campaign', { format: 1, model: sampleReport().model, runs: [sampleReport().motion, null] }],
];
for (const [name, value] of cases) {
  it(`the whole script runs on a page with ${name}`, async () => {
    vi.resetModules();
    delete document.documentElement.dataset['live'];
    const quiet = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')].map((spy) => spy.mockImplementation(() => undefined));
    page(value);
    await import('../src/main');
    if (value === null || name === 'an empty object') expect(document.querySelector('.is-live')).toBeNull();
    if (name === 'no motion') {
      expect([...document.querySelectorAll('.is-live')].map((figure) => figure.id)).toEqual(
        expect.arrayContaining(['figure-growth', 'figure-schedule']),
      );
      expect(document.getElementById('figure-motion')!.classList.contains('is-live')).toBe(false);
    }
    expect(document.querySelectorAll('.static').length).toBe(7);
    quiet.forEach((spy) => spy.mockRestore());
  });
}
