// Times beside other libraries, one task at a time, the fastest first.

import { makeBars, type BarRow } from './bars';
import { choice, html } from './dom';
import { duration } from './format';
import type { Timing } from './report';

export interface TimingGroup {
  title: string;
  rows: BarRow[];
}

function setting(row: Timing): string {
  const threads = row.threads > 1 ? `${row.threads} threads` : '';
  return [row.mode === 'one' ? 'one call' : row.mode, row.real, threads].filter((part) => part !== '').join(', ');
}

/** One group for each task and way of calling, in the order of the report. */
export function timingGroups(timing: Timing[]): TimingGroup[] {
  const groups = new Map<string, Timing[]>();
  for (const row of timing) {
    if (!(row.ns > 0)) continue;
    const title = [row.task, setting(row)].filter((part) => part !== '').join(': ');
    groups.set(title, [...(groups.get(title) ?? []), row]);
  }
  return [...groups].map(([title, rows]) => {
    const sorted = [...rows].sort((a, b) => a.ns - b.ns);
    const best = sorted[0]!.ns;
    return {
      title,
      rows: sorted.map(
        (row): BarRow => ({
          label: row.library,
          note: row.path,
          source: '',
          bars: [{ value: row.ns, kind: /^ulna/i.test(row.library) ? 'full' : 'pale' }],
          mark: null,
          figures: duration(row.ns),
          figuresNote: row.ns > best ? `${(row.ns / best).toFixed(row.ns < 10 * best ? 1 : 0)}×` : '',
          strong: /^ulna/i.test(row.library),
        }),
      ),
    };
  });
}

export function makeTiming(live: HTMLElement, timing: Timing[]): boolean {
  const groups = timingGroups(timing);
  if (groups.length === 0) return false;
  const body = html('div');
  const show = (index: number) => {
    const { rows } = groups[index]!;
    body.replaceChildren(makeBars(rows, true, 'time per state, log scale', duration, []));
  };
  const pick = choice(
    'Task',
    groups.map((group) => group.title),
    0,
    show,
  );
  if (pick) live.append(html('div', { class: 'live-bar' }, pick));
  live.append(body);
  show(0);
  return true;
}
