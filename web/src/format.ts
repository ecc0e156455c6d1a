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

/** The unit of a rate, and of the force that does work on it. */
export function rateUnit(unit: string): string {
  return `${unit}/s`;
}

export function forceUnit(unit: string): string {
  return unit === 'm' ? 'N' : 'N m';
}
