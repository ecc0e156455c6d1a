// Operation counts, formulation by formulation.

import { makeBars, wantsLog, type BarRow } from './bars';
import { choice, html } from './dom';
import { logTick, tick, whole } from './format';
import type { Counts, Operations } from './report';

function total(operations: Operations | null): number {
  return operations ? operations.mul + operations.add : NaN;
}

/**
 * Multiplications plus additions out of what a paper printed, such as "646 mul, 394 add" or "852 × 738 +". Null when there is anything but two whole numbers:
 * a bar must not stand for a guess.
 */
export function publishedTotal(published: string | null): number | null {
  if (published === null) return null;
  const text = published.replace(/\([^)]*\)/g, ' ').replace(/(\d)[\s\u2009\u202f,](?=\d{3}\b)/g, '$1');
  const found = /^\s*(\d+)\s*(?:multiplications?|mul\.?|×|x|\*|M)?\s*(?:,|\+|and|;|\/|·)?\s+(\d+)\s*(?:additions?|add\.?|\+|A)?\s*(?:[,;:].*)?$/i.exec(text);
  return found ? Number(found[1]) + Number(found[2]) : null;
}

export function countRows(counts: Counts): BarRow[] {
  return counts.rows
    .filter((row) => row.as_written || row.reduced || row.published !== null)
    .map((row): BarRow => {
      const { as_written, reduced } = row;
      const last = reduced ?? as_written;
      const notes = [
        as_written && reduced ? `as written ${whole(total(as_written))}` : '',
        row.published === null ? '' : last ? `published ${row.published}` : 'published',
      ];
      return {
        label: row.formulation === 'printed' || row.formulation === '' ? row.title : row.formulation === 'best' ? 'best program' : row.formulation,
        note: row.formulation === 'printed' || row.formulation === '' ? row.paper : row.title,
        source: row.paper,
        bars: [
          ...(as_written ? [{ value: total(as_written), kind: 'pale' as const }] : []),
          ...(reduced ? [{ value: total(reduced), kind: 'full' as const }] : []),
        ],
        mark: publishedTotal(row.published),
        figures: last ? `${whole(last.mul)} ×, ${whole(last.add)} +` : (row.published ?? '–'),
        figuresNote: notes.filter((note) => note !== '').join('; '),
        strong: /^ulna|^best/i.test(row.formulation),
      };
    });
}

export function makeCounts(live: HTMLElement, all: Counts[]): boolean {
  const usable = all.filter((counts) => countRows(counts).length > 0);
  if (usable.length === 0) return false;
  const body = html('div');
  const show = (index: number) => {
    const rows = countRows(usable[index]!);
    const keys = [
      { text: 'as written', kind: 'pale' as const },
      { text: 'reduced for this robot', kind: 'full' as const },
      ...(rows.some((row) => row.mark !== null) ? [{ text: 'published', kind: 'mark' as const }] : []),
    ];
    const logarithmic = wantsLog(rows);
    body.replaceChildren(makeBars(rows, logarithmic, `× and +${logarithmic ? ', log scale' : ''}`, logarithmic ? logTick : tick, keys));
  };
  const pick = choice(
    'Quantity',
    usable.map((counts) => counts.quantity),
    0,
    show,
  );
  if (pick) live.append(html('div', { class: 'live-bar' }, pick));
  live.append(body);
  show(0);
  return true;
}
