// Which curves there are over a motion; drawn by chart_view.ts.

import { forceUnit, rateUnit } from './format';
import type { Motion } from './report';
import { extent } from './scale';

export interface Curve {
  label: string;
  title?: string;
  unit: string;
  values: number[];
  colour: number;
} // title: the label in full; colour: number of the series colour

export interface ChartSpec {
  title: string;
  curves: Curve[];
  units: string[];
  perJoint: boolean;
  plain?: boolean;
} // plain: no unit in the legend

function unitsOf(curves: Curve[]): string[] {
  return [...new Set(curves.map((curve) => curve.unit))];
}

function jointChart(title: string, motion: Motion, rows: number[][], unitOf: (unit: string) => string): ChartSpec {
  const curves = rows.map((values, i) => ({ label: motion.joints[i] ?? `q${i + 1}`, unit: unitOf(motion.units[i] ?? 'rad'), values, colour: i }));
  return { title, curves, units: unitsOf(curves), perJoint: true };
}

export function positionChart(motion: Motion): ChartSpec {
  return jointChart('Positions', motion, motion.q, (unit) => unit);
}

export function velocityChart(motion: Motion): ChartSpec {
  return jointChart('Velocities', motion, motion.v, rateUnit);
}

export function torqueChart(motion: Motion): ChartSpec {
  return jointChart(motion.units.some((unit) => unit === 'm') ? 'Torques and forces' : 'Torques', motion, motion.tau, forceUnit);
}

export function energyChart(motion: Motion): ChartSpec {
  const { energy } = motion;
  const curves: Curve[] = energy
    ? [
        { label: 'kinetic', unit: 'J', values: energy.kinetic, colour: 0 },
        { label: 'potential', unit: 'J', values: energy.potential, colour: 1 },
        { label: 'total', unit: 'J', values: energy.total, colour: 2 },
        ...(energy.work ? [{ label: 'work of the drives', unit: 'J', values: energy.work, colour: 3 }] : []),
      ]
    : [];
  return { title: 'Energy', curves, units: unitsOf(curves), perJoint: false };
}

/** The charts of a simulated motion that have anything to show. */
export function motionCharts(motion: Motion): ChartSpec[] {
  return [positionChart(motion), velocityChart(motion), torqueChart(motion), energyChart(motion)].filter((chart) => chart.curves.length > 0);
}

/** The range of an axis: all finite values of one unit that are shown, with a little room; a flat curve gets a band around it. */
export function axisRange(curves: Curve[], unit: string): [number, number] {
  const found = extent(curves.filter((curve) => curve.unit === unit).flatMap((curve) => extent(curve.values) ?? []));
  if (!found) return [-1, 1];
  const [low, high] = found;
  const room = high - low;
  const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-6; // rounding noise of a constant is not drawn as mountains
  if (room <= least) {
    const band = Math.max(Math.abs(low) * 0.1, 1e-3);
    return [low - band, high + band];
  }
  return [low - 0.06 * room, high + 0.06 * room];
}
