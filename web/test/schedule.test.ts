import { expect, it } from 'vitest';
import { asReport, type Schedule } from '../src/report';
import { cellAt, cellText, enlivenSchedule, lanes, placeAt, scheduleTitle } from '../src/schedule';
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

it('a point of the drawing is a unit and a time, in whichever panel', () => {
  const grid = { cell: 10, left: 50, top: 100, columns: 20, panel: 60 };
  expect(placeAt(grid, 50, 100)).toEqual({ unit: 0, time: 0 });
  expect(placeAt(grid, 75, 111)).toEqual({ unit: 1, time: 2.5 });
  expect(placeAt(grid, 60, 165)).toEqual({ unit: 0, time: 21 });
  expect(placeAt(grid, 40, 105).unit).toBe(-1);
  expect(placeAt(grid, 251, 105).unit).toBe(-1);
  expect(placeAt(grid, 60, 90).unit).toBe(-1);
});

it('arrow keys walk over the cells of a drawing, and frame the one that is named', () => {
  const figure = document.createElement('figure');
  figure.innerHTML = '<div class="static"><svg class="schedule" viewBox="0 0 400 200" data-cell="10" data-left="50" data-top="100" data-columns="20" data-panel="60"></svg></div>';
  document.body.append(figure);
  expect(enlivenSchedule(figure, [sample])).toBe(true);
  const drawing = figure.querySelector('svg')!;
  const frame = figure.querySelector('.live-cellframe')!;
  const tip = figure.querySelector('.live-tip')!;
  const press = (key: string) => drawing.dispatchEvent(new KeyboardEvent('keydown', { key }));
  press('ArrowRight');
  expect(tip.textContent).toBe('Z1: unit 1, step 1');
  press('ArrowRight');
  expect(tip.textContent).toBe('Z5: unit 1, step 2');
  expect(['x', 'y'].map((name) => frame.getAttribute(name))).toEqual(['60', '100']);
  press('ArrowDown');
  expect(tip.textContent).toBe('Z2: unit 2, step 2');
  press('Escape');
  expect(tip.classList.contains('is-shown')).toBe(false);
  expect(frame.getAttribute('visibility')).toBe('hidden');
});

it('a drawing without its measures, or without cells, stays as it is', () => {
  const figure = document.createElement('figure');
  figure.innerHTML = '<div class="static"><svg class="schedule"></svg></div>';
  expect(enlivenSchedule(figure, [sample])).toBe(false);
  figure.innerHTML = '<div class="static"></div>';
  expect(enlivenSchedule(figure, [sample])).toBe(false);
  expect(enlivenSchedule(figure, [schedule([], 4)])).toBe(false);
});
