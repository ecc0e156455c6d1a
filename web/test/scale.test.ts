import { expect, it } from 'vitest';
import { extent } from '../src/scale';

it('extents pass over gaps', () => {
  expect(extent([3, NaN, -1, Infinity])).toEqual([-1, 3]);
  expect(extent([NaN])).toBeNull();
});
