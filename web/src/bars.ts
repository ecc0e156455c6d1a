// Bars as plain HTML: widths are percentages, text is text, so they fit any width and can be read aloud.

import { html } from './dom';
import { linearScale, logDomain, logScale, type Scale } from './scale';

export interface Bar {
  value: number;
  kind: 'pale' | 'full';
}
export interface BarRow {
  label: string;
  note: string; // second line of the label
  source: string; // shown when that is pointed at
  bars: Bar[]; // drawn over each other: the longest first
  mark: number | null; // a tick across the bars
  figures: string; // what stands behind the bars
  figuresNote: string;
  strong: boolean;
}

export interface BarKey {
  text: string;
  kind: 'pale' | 'full' | 'mark';
}

function positive(rows: BarRow[]): number[] {
  return rows.flatMap((row) => [...row.bars.map((bar) => bar.value), ...(row.mark === null ? [] : [row.mark])]).filter((v) => v > 0 && Number.isFinite(v));
}

/** Places in percent. Logarithmic when the values differ so much that the small ones would not be seen. */
export function barScale(rows: BarRow[], logarithmic: boolean): Scale {
  const values = positive(rows);
  return logarithmic ? logScale(logDomain(values), [0, 100]) : linearScale([0, Math.max(1e-12, ...values) * 1.04], [0, 100], 4);
}

export function wantsLog(rows: BarRow[]): boolean {
  const values = positive(rows);
  return values.length > 1 && Math.max(...values) > 40 * Math.min(...values);
}

export function makeBars(rows: BarRow[], logarithmic: boolean, axis: string, tickText: (value: number) => string, keys: BarKey[]): HTMLElement {
  const scale = barScale(rows, logarithmic);
  const percent = (value: number) => `${Math.min(100, Math.max(0, scale.at(value))).toFixed(2)}%`;
  const list = html('ul', { class: 'live-bars' });
  for (const row of rows) {
    const area = html('span', { class: 'live-area', 'aria-hidden': 'true' });
    for (const t of scale.ticks) area.append(html('i', { class: 'live-gridline', style: `left: ${percent(t)}` }));
    for (const bar of [...row.bars].sort((a, b) => b.value - a.value)) {
      if (bar.value > 0) area.append(html('i', { class: `live-bar-${bar.kind}`, style: `width: ${percent(bar.value)}` }));
    }
    if (row.mark !== null && row.mark > 0) area.append(html('i', { class: 'live-mark', style: `left: ${percent(row.mark)}` }));
    list.append(
      html(
        'li',
        { class: row.strong ? 'is-strong' : '' },
        html('span', { class: 'live-label' }, html('b', {}, row.label), ...(row.note ? [html('small', { title: row.source }, row.note)] : [])),
        area,
        html('span', { class: 'live-figures' }, html('b', {}, row.figures), ...(row.figuresNote ? [html('small', {}, row.figuresNote)] : [])),
      ),
    );
  }
  const ticks = html('span', { class: 'live-area' });
  for (const t of scale.ticks) ticks.append(html('i', { class: 'live-ticktext', style: `left: ${percent(t)}` }, tickText(t)));
  const foot = html(
    'div',
    { class: 'live-axis', 'aria-hidden': 'true' },
    html('span', { class: 'live-label' }, axis),
    ticks,
    html('span', { class: 'live-figures' }),
  );
  const key = html('div', { class: 'live-key', 'aria-hidden': 'true' });
  for (const { text, kind } of keys) key.append(html('span', {}, html('i', { class: kind === 'mark' ? 'live-key-mark' : `live-key-${kind}` }), text));
  return html('div', { class: 'live-barchart' }, ...(keys.length > 0 ? [key] : []), list, foot);
}
