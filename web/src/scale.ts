// From values to places and back, with good places for ticks.

export interface Scale {
  at(value: number): number;
  value(at: number): number;
  ticks: number[];
  domain: [number, number];
}

/** Round steps (1, 2, 5 times a power of ten) from low to high, about so many. */
export function linearTicks(low: number, high: number, about = 5): number[] {
  if (!(high > low) || !Number.isFinite(high - low)) return Number.isFinite(low) ? [low] : [];
  const rough = (high - low) / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.999)!;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

/** Powers of ten from low to high; with 2 and 5 between when there are few. */
export function logTicks(low: number, high: number): number[] {
  if (!(low > 0) || !(high >= low) || !Number.isFinite(high)) return [];
  const decades = Math.log10(high / low);
  const factors = decades > 3 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let e = Math.floor(Math.log10(low) + 1e-9); e <= Math.ceil(Math.log10(high)); ++e) {
    for (const f of factors) {
      const value = Number((f * 10 ** e).toPrecision(6));
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push(value);
    }
  }
  const every = Math.ceil(ticks.length / 8);
  return ticks.filter((_, i) => i % every === 0);
}

export function linearScale(domain: [number, number], range: [number, number], about = 5): Scale {
  const [low, high] = domain[1] > domain[0] ? domain : [domain[0] - 0.5, domain[0] + 0.5];
  const k = (range[1] - range[0]) / (high - low);
  return { at: (value) => range[0] + k * (value - low), value: (at) => low + (at - range[0]) / k, ticks: linearTicks(low, high, about), domain: [low, high] };
}

/** Values at or below zero have no place; they are put at the low end. */
export function logScale(domain: [number, number], range: [number, number]): Scale {
  let [low, high] = domain;
  if (!(low > 0)) low = high > 0 ? high / 1000 : 0.1;
  if (!(high > low)) high = low * 10;
  const k = (range[1] - range[0]) / Math.log(high / low);
  return {
    at: (value) => range[0] + k * Math.log(Math.max(value, low) / low),
    value: (at) => low * Math.exp((at - range[0]) / k),
    ticks: logTicks(low, high),
    domain: [low, high],
  };
}

/** The smallest and the largest finite value, or null when there is none. */
export function extent(values: Iterable<number>): [number, number] | null {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** A domain for logarithmic bars: from a round number below the smallest to one above the largest. */
export function logDomain(values: Iterable<number>): [number, number] {
  const found = extent([...values].filter((v) => v > 0));
  if (!found) return [1, 10];
  const down = 10 ** Math.floor(Math.log10(found[0] * 0.7));
  const rounded = [5, 2, 1].map((f) => f * down).find((v) => v <= found[0] * 0.7) ?? down;
  return [rounded, found[1] * 1.15];
}
