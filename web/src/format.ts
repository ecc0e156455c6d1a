// Numbers for people.

const minus = '\u2212';
const thin = '\u2009';

function signed(text: string): string {
  return text.replace(/^-/, minus);
}

/** A measured value with so many significant digits; powers of ten from 1e6 and below 1e-3. */
export function quantity(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e') as [string, string];
    return signed(`${mantissa}e${exponent.replace('+', '')}`);
  }
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return signed(value.toFixed(decimals));
}

/** A value in a list that moves: so many decimals that its width holds still over the range. */
export function steady(value: number, range: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(range);
  if (!(size > 0)) return quantity(value, digits);
  if (size >= 1e6 || size < 1e-3) return quantity(value, digits);
  const text = value.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
  return Number(text) === 0 ? text.replace(/^-/, '') : signed(text);
}

/** A whole number with thin spaces between groups of three. */
export function whole(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = String(Math.round(Math.abs(value)));
  const grouped = digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, thin) : digits;
  return (value < 0 ? minus : '') + grouped;
}

/** Nanoseconds in the unit that suits them. */
export function duration(ns: number): string {
  if (!Number.isFinite(ns)) return '–';
  const units: [number, string][] = [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
  ];
  for (const [size, unit] of units) if (ns >= size) return `${quantity(ns / size, 3)} ${unit}`;
  return `${quantity(ns, ns < 10 ? 2 : 3)} ns`;
}

/** A label of an axis: short, without trailing zeros. */
export function tick(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(2).split('e') as [string, string];
    return signed(`${String(Number(mantissa))}e${exponent.replace('+', '')}`);
  }
  return signed(String(Number(value.toPrecision(6))));
}

/** A label of a logarithmic axis: large and small powers of ten as such. */
export function logTick(value: number): string {
  const power = Math.round(Math.log10(value));
  if (Math.abs(power) < 4 || Math.abs(value / 10 ** power - 1) > 1e-9) return tick(value);
  return `10${[...String(power)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)]!)).join('')}`;
}

/** The unit of a rate, and of the force that does work on it. */
export function rateUnit(unit: string): string {
  return `${unit}/s`;
}

export function forceUnit(unit: string): string {
  return unit === 'm' ? 'N' : 'N m';
}
