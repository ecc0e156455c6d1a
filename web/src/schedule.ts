// Names for the boxes of a drawn schedule, by pointer and by key. Where boxes lie, the drawing says itself (<svg class="schedule" data-…>).

import { html, svg } from './dom';
import { tick, whole } from './format';
import type { Schedule } from './report';

type Cell = Schedule['cells'][number];

/** The cells of each unit in the order of their start; units are numbered from the smallest in use. */
export function lanes(schedule: Schedule): Cell[][] {
  const known = schedule.cells.filter((cell) => Number.isInteger(cell.processor) && cell.processor >= 0);
  const first = known.reduce((least, cell) => Math.min(least, cell.processor), Infinity) >= 1 ? 1 : 0;
  const found: Cell[][] = Array.from({ length: Math.max(0, schedule.processors) }, () => []);
  for (const cell of known) (found[cell.processor - first] ??= []).push(cell);
  return Array.from(found, (lane) => (lane ?? []).sort((a, b) => a.start - b.start));
}

/** The cell of a lane that runs at a time. */
export function cellAt(lane: readonly Cell[], time: number): Cell | null {
  let low = 0,
    high = lane.length; // the last cell that has started is before high
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane[middle]!.start <= time) low = middle + 1;
    else high = middle;
  }
  const cell = lane[low - 1];
  return cell && time < cell.start + cell.length ? cell : null;
}

export function cellText(cell: Cell, unit: number): string {
  const steps = cell.length === 1 ? `step ${tick(cell.start + 1)}` : `steps ${tick(cell.start + 1)} to ${tick(cell.start + cell.length)}`;
  return `${cell.name || 'operation'}: unit ${unit + 1}, ${steps}`;
}

export function scheduleTitle(schedule: Schedule): string {
  return `${schedule.quantity}${schedule.quantity ? ', ' : ''}${schedule.processors} ${schedule.processors === 1 ? 'unit' : 'units'}`;
}

/** Where the boxes of a drawing are: steps go on in the next panel when one is full. */
export interface Grid {
  cell: number; // side of a box, with its gap
  left: number;
  top: number;
  columns: number; // steps of a panel
  panel: number; // height of a panel
}

export function gridOf(drawing: SVGElement): Grid | null {
  const number = (name: string) => Number(drawing.dataset[name] ?? NaN);
  const grid = { cell: number('cell'), left: number('left'), top: number('top'), columns: number('columns'), panel: number('panel') };
  return Object.values(grid).every((value) => value > 0) ? grid : null;
}

/** The unit and the time at a point of the drawing. */
export function placeAt(grid: Grid, x: number, y: number): { unit: number; time: number } {
  const panel = Math.floor((y - grid.top) / grid.panel);
  const column = (x - grid.left) / grid.cell;
  const inside = panel >= 0 && column >= 0 && column < grid.columns;
  return { unit: inside ? Math.floor((y - grid.top - panel * grid.panel) / grid.cell) : -1, time: panel * grid.columns + column };
}

function enlivenDrawing(drawing: SVGSVGElement, schedule: Schedule): boolean {
  const grid = gridOf(drawing);
  const rows = lanes(schedule);
  if (!grid || rows.every((cells) => cells.length === 0)) return false;
  const frame = svg('rect', { class: 'live live-cellframe', rx: 2, visibility: 'hidden' });
  drawing.append(frame);
  drawing.setAttribute('tabindex', '0');
  drawing.setAttribute('role', 'application');
  drawing.setAttribute('aria-roledescription', 'schedule');
  drawing.setAttribute('aria-label', `Schedule of ${scheduleTitle(schedule)}: ${whole(schedule.length)} steps. Arrow keys go from operation to operation.`);
  const tip = html('div', { class: 'live live-tip', 'aria-live': 'polite' });
  const box = html('div', { class: 'live-scheduled' });
  drawing.replaceWith(box);
  box.append(drawing, tip);

  let at: { unit: number; cell: Cell } | null = null;
  const show = (unit: number, cell: Cell | null) => {
    at = cell ? { unit, cell } : null;
    tip.classList.toggle('is-shown', cell !== null);
    frame.setAttribute('visibility', cell ? 'visible' : 'hidden');
    if (!cell) return;
    const panel = Math.floor(cell.start / grid.columns);
    const x = grid.left + (cell.start - panel * grid.columns) * grid.cell;
    const y = grid.top + panel * grid.panel + unit * grid.cell;
    const width = Math.min(cell.length, (panel + 1) * grid.columns - cell.start) * grid.cell - 1;
    for (const [name, value] of Object.entries({ x, y, width, height: grid.cell - 1 })) frame.setAttribute(name, String(value));
    tip.textContent = cellText(cell, unit);
    const scale = drawing.getBoundingClientRect().width / (drawing.viewBox?.baseVal?.width || 1);
    tip.style.top = `${(y + grid.cell) * scale + 6}px`;
    tip.style.left = `${Math.max(0, (x + width / 2) * scale - tip.offsetWidth / 2)}px`;
  };
  const point = (event: PointerEvent) => {
    const place = drawing.getBoundingClientRect();
    const scale = (drawing.viewBox?.baseVal?.width || place.width) / place.width;
    const { unit, time } = placeAt(grid, (event.clientX - place.left) * scale, (event.clientY - place.top) * scale);
    show(unit, cellAt(rows[unit] ?? [], time));
  };
  drawing.addEventListener('pointermove', point);
  drawing.addEventListener('pointerdown', point);
  drawing.addEventListener('pointerleave', () => show(0, null));
  drawing.addEventListener('blur', () => show(0, null));
  drawing.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.key === 'Escape') {
      show(0, null);
      return;
    }
    if (!step || rows.length === 0) return;
    event.preventDefault();
    if (!at) {
      const unit = rows.findIndex((cells) => cells.length > 0);
      if (unit >= 0) show(unit, rows[unit]![0]!);
      return;
    }
    const unit = Math.max(0, Math.min(rows.length - 1, at.unit + step[0]!));
    const cells = rows[unit]!;
    if (unit === at.unit) {
      show(unit, cells[Math.max(0, Math.min(cells.length - 1, cells.indexOf(at.cell) + step[1]!))]!);
    } else if (cells.length > 0) {
      const start = at.cell.start;
      show(
        unit,
        cells.reduce((best, cell) => (Math.abs(cell.start - start) < Math.abs(best.start - start) ? cell : best), cells[0]!),
      );
    }
  });
  return true;
}

/** The drawings of a figure, one for each schedule of the report, in its order; on a narrow screen others of the same schedules are shown. */
export function enlivenSchedule(figure: HTMLElement, all: Schedule[]): boolean {
  const drawings = [...figure.querySelectorAll<SVGSVGElement>('svg.schedule')];
  const narrow = (drawing: SVGSVGElement) => drawing.closest('.for-narrow') !== null;
  const usable = all.filter((schedule) => schedule.cells.length > 0 && schedule.processors > 0);
  const enliven = (some: SVGSVGElement[]) => some.map((drawing, i) => (usable[i] ? enlivenDrawing(drawing, usable[i]) : false));
  return [...enliven(drawings.filter((drawing) => !narrow(drawing))), ...enliven(drawings.filter(narrow))].some((live) => live);
}
