import { beforeEach, expect, it } from 'vitest';
import { barScale, makeBars, wantsLog, type BarRow } from '../src/bars';
import { countRows, makeCounts, publishedTotal } from '../src/counts';
import { asReport } from '../src/report';
import { makeTiming, timingGroups } from '../src/timing';
import { sampleReport } from './sample_report.mjs';

const report = asReport(sampleReport());
const row = (...values: number[]): BarRow => ({
  label: 'a',
  note: '',
  source: '',
  bars: values.map((value) => ({ value, kind: 'full' })),
  mark: null,
  figures: '',
  figuresNote: '',
  strong: false,
});

beforeEach(() => document.body.replaceChildren());

it('what papers printed is a number only when it is plainly one', () => {
  expect(publishedTotal('646 mul, 394 add')).toBe(1040);
  expect(publishedTotal('852 × 738 +')).toBe(1590);
  expect(publishedTotal('646 multiplications and 394 additions')).toBe(1040);
  expect(publishedTotal('66 271 mul, 51 548 add')).toBe(117819);
  expect(publishedTotal('66,271 mul, 51,548 add')).toBe(117819);
  expect(publishedTotal('646 mul, 394 add (section 3)')).toBe(1040);
  expect(publishedTotal('150n - 48')).toBeNull();
  expect(publishedTotal('about 600')).toBeNull();
  expect(publishedTotal(null)).toBeNull();
});

it('rows of counts carry both numbers, the longest bar first', () => {
  const rows = countRows(report.counts[0]!);
  expect(rows.length).toBe(5);
  expect(rows[2]!.bars.map((bar) => bar.value)).toEqual([1019, 895]);
  expect(rows[2]!.mark).toBe(1040);
  expect(rows[2]!.figures).toBe('533 ×, 362 +');
  expect(rows[2]!.figuresNote).toBe('as written 1019; published 646 mul, 394 add');
  expect(rows[3]!.figures).toBe('468 ×, 252 +'); // counted as written only
  expect(rows.map((r) => r.strong)).toEqual([false, false, false, false, true]);
});

it('bars are as long as their values', () => {
  const rows = [row(100), row(50), row(25)];
  const element = makeBars(rows, false, 'ns', String, []);
  const widths = [...element.querySelectorAll<HTMLElement>('.live-bar-full')].map((bar) => parseFloat(bar.style.width));
  expect(widths[1]! / widths[0]!).toBeCloseTo(0.5, 3);
  expect(widths[2]! / widths[0]!).toBeCloseTo(0.25, 3);
  const log = barScale([row(10), row(100), row(1000)], true);
  expect(log.at(100) - log.at(10)).toBeCloseTo(log.at(1000) - log.at(100), 9);
});

it('a logarithm is for values far apart', () => {
  expect(wantsLog([row(1), row(30)])).toBe(false);
  expect(wantsLog([row(1), row(300)])).toBe(true);
  expect(wantsLog([])).toBe(false);
});

it('counts show one list, and another for another quantity', () => {
  const live = document.createElement('div');
  expect(makeCounts(live, report.counts)).toBe(true);
  expect(live.querySelectorAll('li').length).toBe(5);
  const select = live.querySelector('select')!;
  select.selectedIndex = 1;
  select.dispatchEvent(new Event('change'));
  expect(live.querySelectorAll('li').length).toBe(1);
  expect(makeCounts(live, [])).toBe(false);
  expect(makeCounts(live, [{ quantity: 'x', rows: [] }])).toBe(false);
});

it('times are grouped by task and sorted, with how many times the best they are', () => {
  const groups = timingGroups(report.timing);
  expect(groups.map((group) => [group.title, group.rows.length])).toEqual([
    ['inverse: single, double', 4],
    ['forward: single, double', 2],
  ]);
  expect(groups[0]!.rows.map((r) => r.figuresNote)).toEqual(['', '6.3×', '8.5×', '32×']);
  expect(groups[0]!.rows.map((r) => r.strong)).toEqual([true, true, false, false]);
  expect(timingGroups([{ library: 'x', path: '', task: 't', mode: '', real: '', threads: 1, ns: NaN }])).toEqual([]);
  expect(makeTiming(document.createElement('div'), [])).toBe(false);
});
