// The parallel schedule: one lane for each unit, one box for each operation. A path per lane keeps the page light whatever the number of boxes.

import { choice, html, svg, watchWidth } from './dom';
import { tick, whole } from './format';
import type { Schedule } from './report';
import { linearScale } from './scale';

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

function drawSchedule(body: HTMLElement, schedule: Schedule, width: number): void {
  const rows = lanes(schedule);
  const left = 52,
    right = 12,
    top = 6,
    foot = 40;
  const lane = Math.max(14, Math.min(30, 240 / Math.max(1, rows.length)));
  const gap = lane > 18 ? 4 : 2;
  const height = top + rows.length * lane + foot;
  const end = Math.max(schedule.length, ...schedule.cells.map((cell) => cell.start + cell.length), 1);
  const x = linearScale([0, end], [left, width - right], Math.max(3, Math.min(10, Math.floor(width / 90))));
  const picture = svg('svg', {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    class: 'live-gantt',
    tabindex: 0,
    role: 'application',
    'aria-roledescription': 'schedule',
  });
  picture.setAttribute('aria-label', `Schedule of ${scheduleTitle(schedule)}: ${whole(schedule.length)} steps. Arrow keys go from operation to operation.`);
  for (const t of x.ticks) {
    picture.append(
      svg('line', { x1: x.at(t), x2: x.at(t), y1: top, y2: top + rows.length * lane, class: 'live-gridline' }),
      svg('text', { x: x.at(t), y: top + rows.length * lane + 16, class: 'live-text', 'text-anchor': 'middle' }, tick(t)),
    );
  }
  picture.append(svg('text', { x: (left + width - right) / 2, y: height - 6, class: 'live-text', 'text-anchor': 'middle' }, 'steps'));
  rows.forEach((cells, unit) => {
    const y = top + unit * lane + gap / 2,
      h = lane - gap;
    const every = Math.ceil(18 / lane);
    if (unit % every === 0)
      picture.append(svg('text', { x: left - 10, y: y + h / 2, class: 'live-text', 'text-anchor': 'end', 'dominant-baseline': 'central' }, `unit ${unit + 1}`));
    const d = cells.map((cell) => {
      const a = x.at(cell.start),
        b = x.at(cell.start + cell.length);
      const inset = b - a > 4 ? 0.75 : 0;
      return `M${(a + inset).toFixed(2)} ${y}H${(b - inset).toFixed(2)}V${y + h}H${(a + inset).toFixed(2)}Z`;
    });
    picture.append(svg('path', { d: d.join(''), class: 'live-cells' }));
    for (const cell of cells) {
      // names where there is room for them
      const room = x.at(cell.start + cell.length) - x.at(cell.start);
      if (cell.name !== '' && h >= 12 && room > 7 * cell.name.length + 6) {
        picture.append(
          svg(
            'text',
            { x: x.at(cell.start + cell.length / 2), y: y + h / 2, class: 'live-cellname', 'text-anchor': 'middle', 'dominant-baseline': 'central' },
            cell.name,
          ),
        );
      }
    }
  });
  const frame = svg('rect', { class: 'live-cellframe', rx: 2, visibility: 'hidden' });
  picture.append(frame);

  const tip = html('div', { class: 'live-tip', 'aria-live': 'polite' });
  const box = html('div', { class: 'live-scheduled' }, picture, tip);
  body.replaceChildren(box);

  let at: { unit: number; cell: Cell } | null = null;
  const show = (unit: number, cell: Cell | null) => {
    at = cell ? { unit, cell } : null;
    tip.classList.toggle('is-shown', cell !== null);
    frame.setAttribute('visibility', cell ? 'visible' : 'hidden');
    if (!cell) return;
    const a = x.at(cell.start),
      b = x.at(cell.start + cell.length);
    for (const [name, value] of Object.entries({ x: a, y: top + unit * lane + gap / 2, width: Math.max(2, b - a), height: lane - gap }))
      frame.setAttribute(name, String(value));
    tip.textContent = cellText(cell, unit);
    tip.style.top = `${top + (unit + 1) * lane + 6}px`;
    tip.style.left = `${Math.max(0, Math.min(width - tip.offsetWidth, (a + b) / 2 - tip.offsetWidth / 2))}px`;
  };
  const point = (event: PointerEvent) => {
    const place = picture.getBoundingClientRect();
    const unit = Math.floor((event.clientY - place.top - top) / lane);
    show(unit, cellAt(rows[unit] ?? [], x.value(event.clientX - place.left)));
  };
  picture.addEventListener('pointermove', point);
  picture.addEventListener('pointerdown', point);
  picture.addEventListener('pointerleave', () => show(0, null));
  picture.addEventListener('blur', () => show(0, null));
  picture.addEventListener('keydown', (event) => {
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
}

export function makeSchedule(live: HTMLElement, all: Schedule[]): boolean {
  const usable = all.filter((schedule) => schedule.cells.length > 0 && schedule.processors > 0);
  if (usable.length === 0) return false;
  const body = html('div');
  const facts = html('p', { class: 'live-facts' });
  let index = Math.max(
    0,
    usable.findIndex((schedule) => schedule.processors === 4),
  );
  let width = 0;
  const show = () => {
    const schedule = usable[index]!;
    const parts = [`${whole(schedule.length)} steps`, `${whole(schedule.work)} operations`];
    if (schedule.speedup > 0) parts.push(`${schedule.speedup.toFixed(2)} times as fast as one unit`);
    if (schedule.length > 0) parts.push(`${((100 * schedule.work) / (schedule.processors * schedule.length)).toFixed(0)} % busy`);
    facts.textContent = parts.join(' · ');
    if (width > 0) drawSchedule(body, schedule, width);
  };
  const pick = choice('Schedule', usable.map(scheduleTitle), index, (chosen) => {
    index = chosen;
    show();
  });
  live.append(html('div', { class: 'live-bar' }, ...(pick ? [pick] : []), facts), body);
  show();
  watchWidth(body, (w) => {
    width = w;
    show();
  });
  return true;
}
