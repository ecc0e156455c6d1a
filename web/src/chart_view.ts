// Curves over time with uPlot. All charts of a motion follow one clock: pointing at any of them moves it, and it moves the cursor of each.

import uPlot from 'uplot';
import { axisRange, type ChartSpec, type Curve } from './chart_series';
import type { Clock } from './clock';
import { html, watchWidth } from './dom';
import { logTick, steady, tick } from './format';
import { valueAt } from './kinematics';
import { timeKey, timeText } from './player';
import { extent, logTicks } from './scale';
import { colour, onThemeChange, seriesDash, seriesName, seriesVar } from './theme';

/** Curves that are switched off, by colour: one joint has one switch in all charts of its motion. */
export class Shown {
  private readonly off_ = new Set<number>();
  private readonly listeners_: (() => void)[] = [];

  has(index: number): boolean {
    return !this.off_.has(index);
  }

  toggle(index: number): void {
    if (!this.off_.delete(index)) this.off_.add(index);
    for (const listener of this.listeners_) listener();
  }

  /** Only this one; all again when it was the only one. */
  single(index: number, count: number): void {
    const alone = this.has(index) && this.off_.size === count - 1;
    this.off_.clear();
    if (!alone) for (let i = 0; i < count; ++i) if (i !== index) this.off_.add(i);
    for (const listener of this.listeners_) listener();
  }

  onChange(listener: () => void): void {
    this.listeners_.push(listener);
  }
}

function makeLegend(spec: ChartSpec, shown: Shown, of: string): { element: HTMLElement; update: (times: number[], time: number) => void } {
  const element = html('div', { class: 'live-legend', role: 'group', 'aria-label': `Curves of ${of}${spec.title ? `: ${spec.title}` : ''}` });
  // As many decimals for all curves of a unit.
  const sizes = new Map(
    spec.units.map((unit) => {
      const [low, high] = extent(spec.curves.filter((curve) => curve.unit === unit).flatMap((curve) => extent(curve.values) ?? [])) ?? [0, 0];
      return [unit, Math.max(Math.abs(low), Math.abs(high))];
    }),
  );
  if (spec.curves.some((curve) => curve.label.length > 8)) element.classList.add('is-named');
  const rows = spec.curves.map((curve) => {
    const value = html('span', { class: 'live-value', 'aria-hidden': 'true' });
    const swatch = html('span', { class: 'live-swatch', 'aria-hidden': 'true' });
    if (seriesDash(curve.colour).length > 0) swatch.classList.add('is-dashed');
    const button = html(
      'button',
      {
        type: 'button',
        style: `--series: ${seriesVar(curve.colour)}`,
        title: `${curve.title ?? curve.label}. Click: show or hide; double click: only this one`,
      },
      swatch,
      html('span', { class: 'live-name' }, curve.label),
      value,
      ...(spec.plain ? [] : [html('span', { class: 'live-unit', 'aria-hidden': 'true' }, curve.unit)]),
    );
    button.setAttribute('aria-label', `${curve.title ?? curve.label}, ${curve.unit}`);
    button.addEventListener('click', () => shown.toggle(curve.colour));
    button.addEventListener('dblclick', () => shown.single(curve.colour, spec.curves.length));
    element.append(button);
    return { curve, button, value };
  });
  const press = () => rows.forEach((row) => row.button.setAttribute('aria-pressed', String(shown.has(row.curve.colour))));
  shown.onChange(press);
  press();
  return {
    element,
    update: (times, time) =>
      rows.forEach((row) => {
        row.value.textContent = steady(valueAt(times, row.curve.values, time), sizes.get(row.curve.unit)!, 4);
      }),
  };
}

/** What runs along the bottom. */
export interface Along {
  of: string; // what the chart is of, for names of controls
  label: string;
  say: () => string; // the cursor's place in words
  logarithmic?: boolean; // upwards
  marked?: boolean; // a dot at each value
  snap?: number[]; // the only places the cursor may take
}

/** Values whose labels would touch the one before are left without. */
export function spaced(values: number[], places: number[], least = 18): (number | null)[] {
  let last = -Infinity;
  return values.map((value, i) => {
    if (places[i]! - last < least) return null;
    last = places[i]!;
    return value;
  });
}

function options(spec: ChartSpec, shown: Shown, along: Along, width: number, height: number): uPlot.Options {
  const visible = (): Curve[] => spec.curves.filter((curve) => shown.has(curve.colour));
  const font = '12px system-ui, sans-serif';
  const units = spec.units.slice(0, 2); // one axis at each side; a third unit would share the right one
  const scaleOf = (unit: string) => (units.includes(unit) ? unit : units[units.length - 1]!);
  return {
    width,
    height,
    pxAlign: false, // curves smooth rather than on whole pixels
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      bind: {
        mousemove: () => null,
        mousedown: () => null,
        mouseup: () => null,
        click: () => null,
        dblclick: () => null,
        mouseenter: () => null,
        mouseleave: () => null,
      },
      points: { size: 7, width: 1.5, stroke: (_u, i) => colour(seriesName(spec.curves[i - 1]!.colour)), fill: () => colour('--paper') },
    },
    scales: {
      x: along.logarithmic ? { time: false, distr: 3, log: 10, range: (_u, low, high) => [low, high] } : { time: false },
      ...Object.fromEntries(
        units.map((unit): [string, uPlot.Scale] => [
          unit,
          along.logarithmic ? { distr: 3, log: 10 } : { range: (): [number, number] => axisRange(visible().length > 0 ? visible() : spec.curves, unit) },
        ]),
      ),
    },
    axes: [
      {
        stroke: () => colour('--muted'),
        grid: { stroke: () => colour('--rule'), width: 1 },
        ticks: { show: false },
        font,
        labelFont: font,
        label: along.label,
        labelSize: 20,
        size: 28,
        gap: 6,
        values: (_, splits) => splits.map((value) => (value === null ? '' : tick(value))),
        ...(along.snap
          ? {
              splits: () => along.snap!,
              filter: (u, splits) =>
                spaced(
                  splits,
                  splits.map((value) => u.valToPos(value, 'x')),
                ),
            }
          : {}),
      },
      ...units.map(
        (unit, i): uPlot.Axis => ({
          scale: unit,
          side: i === 0 ? 3 : 1,
          stroke: () => colour('--muted'),
          grid: { show: i === 0, stroke: () => colour('--rule'), width: 1 },
          ticks: { show: false },
          font,
          labelFont: font,
          label: along.logarithmic ? unit : `[${unit}]`,
          labelSize: 18,
          size: (_u, values) => 14 + 6.6 * Math.max(2, ...(values ?? []).map((v) => (v ?? '').length)),
          gap: 6,
          values: (_, splits) => splits.map((value) => (value === null ? '' : along.logarithmic ? logTick(value) : tick(value))),
          ...(along.logarithmic ? { splits: (_u, _i, low, high) => logTicks(low, high), filter: (_u, splits) => splits } : {}),
        }),
      ),
    ],
    series: [
      {},
      ...spec.curves.map(
        (curve): uPlot.Series => ({
          label: curve.label,
          scale: scaleOf(curve.unit),
          show: shown.has(curve.colour),
          width: 1.75,
          dash: seriesDash(curve.colour),
          stroke: () => colour(seriesName(curve.colour)),
          points: along.marked ? { show: true, size: 5, fill: () => colour(seriesName(curve.colour)) } : { show: false },
        }),
      ),
    ],
  };
}

export function nearest(places: readonly number[], value: number): number {
  return places.reduce((best, place) => (Math.abs(place - value) < Math.abs(best - value) ? place : best), places[0] ?? value);
}

function stepKey(clock: Clock, places: readonly number[], event: KeyboardEvent): boolean {
  const at = places.indexOf(nearest(places, clock.time));
  const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: places.length - 1 }[event.key];
  if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return false;
  clock.move(places[Math.max(0, Math.min(places.length - 1, to))]!);
  return true;
}

/** One chart with its legend. Returns the element; it draws itself once it has a width. */
export function makeChart(spec: ChartSpec, times: number[], clock: Clock, shown: Shown, along: Along): HTMLElement {
  const legend = makeLegend(spec, shown, along.of);
  const plot = html('div', {
    class: 'live-plot',
    tabindex: 0,
    role: 'slider',
    'aria-label': `Cursor in ${spec.title ? `${spec.title.toLowerCase()} of ` : ''}${along.of}`,
    'aria-valuemin': clock.start,
    'aria-valuemax': clock.end,
  });
  plot.dataset['series'] = String(spec.curves.length);
  const element = html('section', { class: 'live-chart' }, ...(spec.title ? [html('h4', { class: 'live-title' }, spec.title)] : []), plot, legend.element);
  const data: uPlot.AlignedData = [times, ...spec.curves.map((curve) => curve.values.map((v) => (Number.isFinite(v) ? v : null)))];
  let chart: uPlot | null = null;

  const showTime = () => {
    legend.update(times, clock.time);
    plot.setAttribute('aria-valuenow', String(Number(clock.time.toPrecision(6))));
    plot.setAttribute('aria-valuetext', along.say());
    if (chart) chart.setCursor({ left: chart.valToPos(clock.time, 'x'), top: 10 }, false);
  };
  plot.addEventListener('keydown', (event) => {
    if (along.snap ? stepKey(clock, along.snap, event) : timeKey(clock, event)) event.preventDefault();
  });

  const follow = (u: uPlot) => {
    const over = u.over;
    over.style.touchAction = 'pan-y';
    const point = (event: PointerEvent) => {
      const box = over.getBoundingClientRect();
      const value = u.posToVal(event.clientX - box.left, 'x');
      clock.move(along.snap ? nearest(along.snap, value) : value);
    };
    over.addEventListener('pointerdown', (event) => {
      over.setPointerCapture?.(event.pointerId);
      point(event);
    });
    // A hand that only passes over must not stop a motion that plays.
    over.addEventListener('pointermove', (event) => {
      if (event.buttons !== 0 || (!clock.playing && event.pointerType === 'mouse')) point(event);
    });
  };

  watchWidth(plot, (width) => {
    const height = Math.round(Math.min(along.logarithmic ? 380 : 260, Math.max(along.logarithmic ? 260 : 210, width * 0.5)));
    if (chart) {
      chart.setSize({ width, height });
    } else {
      chart = new uPlot(options(spec, shown, along, width, height), data, plot);
      follow(chart);
    }
    requestAnimationFrame(showTime); // the chart knows its scales only after this task
  });
  clock.onTime(showTime);
  shown.onChange(() => {
    spec.curves.forEach((curve, i) => {
      if (chart && chart.series[i + 1]!.show !== shown.has(curve.colour)) chart.setSeries(i + 1, { show: shown.has(curve.colour) });
    });
    chart?.setData(data); // the range follows what is shown
    showTime();
  });
  onThemeChange(() => chart?.redraw(false));
  showTime();
  return element;
}

export function makeCharts(live: HTMLElement, specs: ChartSpec[], times: number[], clock: Clock, of: string): boolean {
  if (specs.length === 0) return false;
  const joints = new Shown();
  const grid = html('div', { class: specs.length > 1 ? 'live-charts' : 'live-charts is-single' });
  const along: Along = { of, label: 'time [s]', say: () => timeText(clock) };
  for (const spec of specs) grid.append(makeChart(spec, times, clock, spec.perJoint ? joints : new Shown(), along));
  live.append(grid);
  return true;
}
