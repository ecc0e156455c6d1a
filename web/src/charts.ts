// Life for the charts that the page was written with: a cursor that follows a clock, the values there, and curves that can be switched off. The drawing stays
// as it is; all that is added is the cursor. Where axes lie, the drawing says itself (<g class="plot" data-…>, <g class="curve" data-row=…>).

import { Clock } from './clock';
import { html, svg } from './dom';
import { rateUnit, forceUnit, steady, whole } from './format';
import { valueAt } from './kinematics';
import { timeKey, timeText } from './player';
import type { Growth, Motion } from './report';
import { extent } from './scale';

/** The numbers behind a curve: its name, its unit, and a value for each place along the bottom. */
export interface Curve {
  label: string;
  unit: string;
  values: number[];
}
export type Source = (of: string, row: string) => Curve | null;

export function motionSource(motion: Motion): Source {
  const { energy } = motion;
  const energies: [string, number[]][] = energy
    ? [
        ['kinetic', energy.kinetic],
        ['potential', energy.potential],
        ['total', energy.total],
        ...(energy.work ? [['work of the drives', energy.work] as [string, number[]]] : []),
      ]
    : [];
  return (of, row) => {
    const i = Number(row);
    if (of === 'energy') return energies[i] ? { label: energies[i][0], unit: 'J', values: energies[i][1] } : null;
    const values = of === 'q' ? motion.q[i] : of === 'v' ? motion.v[i] : of === 'tau' ? motion.tau[i] : undefined;
    if (!values) return null;
    const unit = motion.units[i] ?? 'rad';
    return { label: motion.joints[i] ?? `q${i + 1}`, unit: of === 'q' ? unit : of === 'v' ? rateUnit(unit) : forceUnit(unit), values };
  };
}

export function growthSource(all: Growth[]): Source {
  return (of, row) => {
    const found = all.find((growth) => growth.quantity === of)?.series.find((series) => series.formulation === row);
    return found ? { label: row, unit: 'operations', values: found.operations } : null;
  };
}

/** Which curves people have switched on or off, by row: one joint has one switch in all charts of its motion. The others are as they were drawn. */
export class Shown {
  private readonly chosen_ = new Map<string, boolean>();
  private readonly listeners_: (() => void)[] = [];

  has(row: string, drawn = true): boolean {
    return this.chosen_.get(row) ?? drawn;
  }

  choose(rows: readonly string[], shown: boolean): void {
    for (const row of rows) this.chosen_.set(row, shown);
    for (const listener of this.listeners_) listener();
  }

  /** Only this one of the rows; all again when it was the only one. */
  single(row: string, rows: readonly string[]): void {
    const alone = rows.every((other) => this.chosen_.get(other) === (other === row));
    for (const other of rows) this.chosen_.set(other, alone);
    this.choose([row], true);
  }

  onChange(listener: () => void): void {
    this.listeners_.push(listener);
  }
}

/** From values to places in the drawing, as the plot says. */
export interface Axes {
  left: number;
  top: number;
  width: number;
  height: number;
  x(value: number): number;
  y(value: number): number;
  value(x: number): number;
}

export function axesOf(plot: SVGElement): Axes | null {
  const number = (name: string) => Number(plot.dataset[name] ?? NaN);
  const [left, top, width, height, from, to, low, high] = ['left', 'top', 'width', 'height', 'from', 'to', 'low', 'high'].map(number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (![left, top, width, height, from, to, low, high].every(Number.isFinite) || !(width > 0) || !(high > low) || !(to > from)) return null;
  const logarithmic = plot.dataset['scale'] === 'log';
  const f = logarithmic ? Math.log : (value: number) => value;
  const inverse = logarithmic ? Math.exp : (value: number) => value;
  return {
    left,
    top,
    width,
    height,
    x: (value) => left + (width * (f(value) - f(from))) / (f(to) - f(from)),
    y: (value) => top + (height * (f(high) - f(value))) / (f(high) - f(low)),
    value: (x) => inverse(f(from) + ((x - left) / width) * (f(to) - f(from))),
  };
}

/** What runs along the bottom. */
export interface Along {
  of: string; // what the chart is of, for names of controls
  places: number[]; // where there are values
  clock: Clock;
  say: () => string; // the cursor's place in words
  snap: boolean; // the cursor may take these places only
}

export function nearest(places: readonly number[], value: number): number {
  return places.reduce((best, place) => (Math.abs(place - value) < Math.abs(best - value) ? place : best), places[0] ?? value);
}

function stepKey({ clock, places }: Along, event: KeyboardEvent): boolean {
  const at = places.indexOf(nearest(places, clock.time));
  const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: places.length - 1 }[event.key];
  if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return false;
  clock.move(places[Math.max(0, Math.min(places.length - 1, to))]!);
  return true;
}

interface Row {
  row: string;
  curve: Curve;
  drawn: SVGElement;
  atFirst: boolean; // shown when drawn
  dot: SVGElement;
  button: HTMLButtonElement;
  value: HTMLElement;
}

const narrow = () => globalThis.matchMedia?.('(max-width: 40rem)');

/** On a narrow screen the names at the right edge go, since the legend below has them, and letters grow as the drawing shrinks. */
function fit(drawing: SVGElement, axes: Axes): void {
  const asDrawn = drawing.getAttribute('viewBox');
  const screen = narrow();
  if (!asDrawn || !screen) return;
  const height = asDrawn.split(/[ ,]+/)[3] ?? '0';
  const width = Math.round(axes.left + axes.width + 24);
  const show = () => {
    drawing.classList.toggle('is-cropped', screen.matches);
    drawing.setAttribute('viewBox', screen.matches ? `0 0 ${width} ${height}` : asDrawn);
    drawing.setAttribute('width', String(screen.matches ? width : asDrawn.split(/[ ,]+/)[2]));
    drawing.style.setProperty('--letters', `${((11.5 * width) / 330).toFixed(1)}px`);
  };
  screen.addEventListener?.('change', show);
  show();
}

/** One plot with its legend, which is returned; null for a plot that cannot be read or has no data. */
function enlivenPlot(plot: SVGElement, source: Source, along: Along, shown: Shown): HTMLElement | null {
  const axes = axesOf(plot);
  const drawing = plot.ownerSVGElement ?? plot;
  if (!axes) return null;
  const title = plot.querySelector('text')?.textContent ?? '';
  const { clock, places } = along;
  const legend = html('div', { class: 'live live-legend', role: 'group', 'aria-label': `Curves of ${along.of}: ${title}` });
  const cursor = svg('line', { class: 'live-cursor', y1: axes.top, y2: axes.top + axes.height });
  const over = svg('rect', {
    class: 'live-over',
    x: axes.left,
    y: axes.top,
    width: axes.width,
    height: axes.height,
    tabindex: 0,
    role: 'slider',
    'aria-label': `Cursor in ${title} of ${along.of}`,
    'aria-valuemin': clock.start,
    'aria-valuemax': clock.end,
  });
  const added = svg('g', { class: 'live' }, cursor);
  const rows: Row[] = [];
  for (const drawn of plot.querySelectorAll<SVGElement>('.curve')) {
    const row = drawn.dataset['row'] ?? '';
    const curve = source(plot.dataset['of'] ?? '', row);
    const line = drawn.querySelector('polyline');
    if (!curve || !line) continue;
    const atFirst = drawn.getAttribute('visibility') !== 'hidden';
    const colour = line.getAttribute('stroke') ?? '';
    const dot = svg('circle', { class: 'live-dot', r: 4, stroke: colour });
    const value = html('span', { class: 'live-value', 'aria-hidden': 'true' });
    const swatch = html('span', { class: line.hasAttribute('stroke-dasharray') ? 'live-swatch is-dashed' : 'live-swatch', 'aria-hidden': 'true' });
    const button = html(
      'button',
      { type: 'button', style: `--series: ${colour}`, title: `${curve.label}. Click: show or hide; double click: only this one` },
      swatch,
      html('span', { class: 'live-name' }, curve.label),
      value,
      ...(along.snap ? [] : [html('span', { class: 'live-unit', 'aria-hidden': 'true' }, curve.unit)]),
    );
    button.setAttribute('aria-label', `${curve.label}, ${curve.unit}`);
    rows.push({ row, curve, drawn, atFirst, dot, button, value });
    added.append(dot);
  }
  if (rows.length === 0) return null;
  // Curves that are drawn come first; the others wait below.
  legend.append(...rows.filter(({ atFirst }) => atFirst).map(({ button }) => button), ...rows.filter(({ atFirst }) => !atFirst).map(({ button }) => button));
  fit(drawing, axes);
  const longest = Math.max(...rows.map(({ curve }) => curve.label.length));
  legend.style.setProperty('--entry', `${Math.max(10.4, 7.8 + 0.55 * longest).toFixed(1)}rem`);
  added.append(over);
  plot.append(added);
  drawing.setAttribute('role', 'group'); // what is inside an image cannot be reached

  // As many decimals for all curves of a unit.
  const [low, high] = extent(rows.flatMap(({ curve }) => extent(curve.values) ?? [])) ?? [0, 0];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const showTime = () => {
    const x = axes.x(clock.time);
    cursor.setAttribute('x1', String(x));
    cursor.setAttribute('x2', String(x));
    for (const { row, curve, atFirst, dot, value } of rows) {
      const at = valueAt(places, curve.values, clock.time);
      value.textContent = along.snap ? whole(at) : steady(at, size, 4);
      const y = axes.y(at);
      dot.setAttribute('visibility', shown.has(row, atFirst) && Number.isFinite(y) ? 'visible' : 'hidden');
      dot.setAttribute('cx', String(x));
      if (Number.isFinite(y)) dot.setAttribute('cy', String(y));
    }
    over.setAttribute('aria-valuenow', String(Number(clock.time.toPrecision(6))));
    over.setAttribute('aria-valuetext', along.say());
  };
  const showCurves = () => {
    for (const { row, drawn, atFirst, button } of rows) {
      drawn.setAttribute('visibility', shown.has(row, atFirst) ? 'visible' : 'hidden');
      button.setAttribute('aria-pressed', String(shown.has(row, atFirst)));
    }
    showTime();
  };
  const all = rows.map(({ row }) => row);
  for (const { row, atFirst, button } of rows) {
    button.addEventListener('click', () => shown.choose([row], !shown.has(row, atFirst)));
    button.addEventListener('dblclick', () => shown.single(row, all));
  }
  const point = (event: PointerEvent) => {
    const box = over.getBoundingClientRect();
    const value = axes.value(axes.left + ((event.clientX - box.left) / box.width) * axes.width);
    clock.move(along.snap ? nearest(places, value) : value);
  };
  over.addEventListener('pointerdown', (event) => {
    over.setPointerCapture?.(event.pointerId);
    point(event);
  });
  // A hand that only passes over must not stop a motion that plays.
  over.addEventListener('pointermove', (event) => {
    if (event.buttons !== 0 || (!clock.playing && event.pointerType === 'mouse')) point(event);
  });
  over.addEventListener('keydown', (event) => {
    if (along.snap ? stepKey(along, event) : timeKey(clock, event)) event.preventDefault();
  });
  clock.onTime(showTime);
  shown.onChange(showCurves);
  showCurves();
  return legend;
}

/** All plots of a figure that are curves of a motion: one clock for all, one switch for a joint in all. */
export function enlivenMotion(figure: HTMLElement, motion: Motion, clock: Clock, of: string): boolean {
  const along: Along = { of, places: motion.t, clock, say: () => timeText(clock), snap: false };
  const joints = new Shown();
  let count = 0;
  for (const plot of figure.querySelectorAll<SVGElement>('.static .plot')) {
    const legend = enlivenPlot(plot, motionSource(motion), along, plot.dataset['of'] === 'energy' ? new Shown() : joints);
    if (!legend) continue;
    plot.ownerSVGElement!.after(legend);
    ++count;
  }
  return count > 0;
}

/** Plots of counts over numbers of joints; the legend is that of the plot that was touched last. */
export function enlivenGrowth(figure: HTMLElement, all: Growth[]): boolean {
  const legends: HTMLElement[] = [];
  const show = (chosen: HTMLElement) => legends.forEach((legend) => (legend.hidden = legend !== chosen));
  for (const plot of figure.querySelectorAll<SVGElement>('.static .plot')) {
    const growth = all.find(({ quantity }) => quantity === plot.dataset['of']);
    if (!growth || growth.joints.length < 2) continue;
    const clock = new Clock(growth.joints);
    clock.set(growth.joints[Math.floor(growth.joints.length / 2)]!);
    const along: Along = { of: 'growth with the number of joints', places: growth.joints, clock, say: () => `${clock.time} joints`, snap: true };
    const legend = enlivenPlot(plot, growthSource(all), along, new Shown());
    if (!legend) continue;
    legend.prepend(html('p', { class: 'live-facts' }, `${growth.quantity}: `, html('span', {}, along.say())));
    const place = legend.querySelector('p span')!;
    clock.onTime(() => (place.textContent = along.say()));
    for (const event of ['pointerenter', 'focusin']) plot.addEventListener(event, () => show(legend));
    legends.push(legend);
    (plot.closest('.charts') ?? plot.ownerSVGElement!.parentElement!).append(legend);
  }
  if (legends[0]) show(legends[0]);
  return legends.length > 0;
}
