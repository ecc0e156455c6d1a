// How the counts grow with the number of joints, on a logarithmic scale.

import { makeChart, Shown } from './chart_view';
import type { ChartSpec } from './chart_series';
import { Clock } from './clock';
import { choice, html } from './dom';
import type { Growth } from './report';

export function growthSpec(growth: Growth): ChartSpec {
  const curves = growth.series
    .filter((row) => row.operations.length === growth.joints.length && row.operations.some((value) => value > 0))
    .map((row, i) => ({
      label: row.formulation || row.title,
      title: row.title,
      unit: 'operations',
      values: row.operations.map((value) => (value > 0 ? value : NaN)),
      colour: i, // a logarithm has no place for 0
    }));
  return { title: '', curves, units: curves.length > 0 ? ['operations'] : [], perJoint: false, plain: true };
}

export function makeGrowth(live: HTMLElement, all: Growth[]): boolean {
  const usable = all.filter((growth) => growth.joints.length > 1 && growth.joints.every(Number.isFinite) && growthSpec(growth).curves.length > 0);
  if (usable.length === 0) return false;
  const body = html('div', { class: 'live-charts is-single' });
  const show = (index: number) => {
    const growth = usable[index]!;
    const place = new Clock(growth.joints);
    place.set(growth.joints[Math.floor(growth.joints.length / 2)]!);
    const spec = growthSpec(growth);
    body.replaceChildren(
      makeChart(spec, growth.joints, place, new Shown(), {
        of: `operations for ${growth.quantity}`,
        label: 'number of joints',
        logarithmic: true,
        marked: true,
        say: () => `${place.time} joints`,
        snap: growth.joints,
      }),
    );
  };
  const pick = choice(
    'Quantity',
    usable.map((growth) => growth.quantity),
    0,
    show,
  );
  if (pick) live.append(html('div', { class: 'live-bar' }, pick));
  live.append(body);
  show(0);
  return true;
}
