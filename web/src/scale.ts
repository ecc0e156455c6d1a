// The range of numbers.

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
