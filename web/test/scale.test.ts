import { expect, it } from 'vitest';
import { extent, linearScale, linearTicks, logDomain, logScale, logTicks } from '../src/scale';

it('linear ticks are round and inside', () => {
  expect(linearTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(linearTicks(-3, 7, 5)).toEqual([-2, 0, 2, 4, 6]);
  expect(linearTicks(0, 0)).toEqual([0]);
  expect(linearTicks(NaN, 1)).toEqual([]);
});

it('logarithmic ticks are powers, with steps between when there are few', () => {
  expect(logTicks(1, 1e5)).toEqual([1, 10, 100, 1e3, 1e4, 1e5]);
  expect(logTicks(8, 60)).toEqual([10, 20, 50]);
  expect(logTicks(0, 10)).toEqual([]);
  expect(logTicks(1, 1e30).length).toBeLessThanOrEqual(8);
});

it('scales go there and back', () => {
  const linear = linearScale([2, 12], [100, 200]);
  expect(linear.at(7)).toBe(150);
  expect(linear.value(150)).toBe(7);
  const log = logScale([10, 1e5], [0, 100]);
  expect(log.at(1000)).toBeCloseTo(50, 12);
  expect(log.value(75)).toBeCloseTo(1e4, 8);
  expect(log.at(0)).toBe(0); // no place of its own: the low end
});

it('a single value has a scale, and none at all', () => {
  expect(Number.isFinite(linearScale([5, 5], [0, 10]).at(5))).toBe(true);
  expect(Number.isFinite(logScale([0, 0], [0, 10]).at(5))).toBe(true);
  expect(logDomain([])).toEqual([1, 10]);
  const [low, high] = logDomain([196, 133126]);
  expect(low).toBe(100);
  expect(high).toBeGreaterThan(133126);
});

it('extents pass over gaps', () => {
  expect(extent([3, NaN, -1, Infinity])).toEqual([-1, 3]);
  expect(extent([NaN])).toBeNull();
});
