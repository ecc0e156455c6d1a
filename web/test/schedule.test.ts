import { expect, it } from 'vitest';
import { asReport, type Schedule } from '../src/report';
import { cellAt, cellText, lanes, makeSchedule, scheduleTitle } from '../src/schedule';
import { sampleReport } from './sample_report.mjs';

const sample = asReport(sampleReport()).schedule[0]!;

function schedule(cells: [number, number, number][], processors = 2): Schedule {
  return {
    quantity: 'torque',
    processors,
    length: 10,
    work: cells.length,
    speedup: 1,
    cells: cells.map(([processor, start, length]) => ({ processor, start, length, name: `Z${start}` })),
  };
}

it('lanes are those of the units, in order of time, whether units count from 0 or from 1', () => {
  expect(lanes(sample).map((lane) => lane.length)).toEqual([24, 22, 20, 18]);
  const mixed = lanes(
    schedule([
      [0, 4, 1],
      [1, 0, 2],
      [0, 0, 3],
    ]),
  );
  expect(mixed.map((lane) => lane.map((cell) => cell.start))).toEqual([[0, 4], [0]]);
  expect(
    lanes(
      schedule([
        [1, 0, 1],
        [2, 0, 1],
      ]),
    ).map((lane) => lane.length),
  ).toEqual([1, 1]);
  expect(lanes(schedule([], 3))).toEqual([[], [], []]);
  expect(
    lanes(
      schedule(
        [
          [0, 0, 1],
          [5, 0, 1],
        ],
        2,
      ),
    ).length,
  ).toBe(6); // more units than announced are drawn, not dropped
});

it('a cell is found by time, and none in a gap', () => {
  const lane = lanes(
    schedule([
      [0, 0, 3],
      [0, 4, 1],
      [0, 5, 2],
    ]),
  )[0]!;
  expect(cellAt(lane, 0)?.start).toBe(0);
  expect(cellAt(lane, 2.9)?.start).toBe(0);
  expect(cellAt(lane, 3.5)).toBeNull();
  expect(cellAt(lane, 5)?.start).toBe(5);
  expect(cellAt(lane, 7)).toBeNull();
  expect(cellAt([], 1)).toBeNull();
});

it('cells say what they are', () => {
  expect(cellText({ processor: 0, start: 4, length: 1, name: 'Z9' }, 0)).toBe('Z9: unit 1, step 5');
  expect(cellText({ processor: 0, start: 4, length: 3, name: '' }, 2)).toBe('operation: unit 3, steps 5 to 7');
  expect(scheduleTitle(schedule([], 1))).toBe('torque, 1 unit');
});

it('the drawing has one path for each unit, and arrow keys walk over its cells', async () => {
  const live = document.createElement('div');
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, get: () => 800 });
  document.body.append(live);
  expect(makeSchedule(live, [sample])).toBe(true);
  const picture = live.querySelector('svg')!;
  expect(picture.querySelectorAll('path.live-cells').length).toBe(4);
  const tip = live.querySelector('.live-tip')!;
  const press = (key: string) => picture.dispatchEvent(new KeyboardEvent('keydown', { key }));
  press('ArrowRight');
  expect(tip.textContent).toBe('Z1: unit 1, step 1');
  press('ArrowRight');
  expect(tip.textContent).toBe('Z5: unit 1, step 2');
  press('ArrowDown');
  expect(tip.textContent).toBe('Z2: unit 2, step 2');
  press('Escape');
  expect(tip.classList.contains('is-shown')).toBe(false);
  expect(makeSchedule(live, [schedule([], 4)])).toBe(false);
});
