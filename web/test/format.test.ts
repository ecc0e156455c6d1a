import { expect, it } from 'vitest';
import { forceUnit, quantity, steady, tick, whole } from '../src/format';

it('quantities keep their digits and a true minus', () => {
  expect(quantity(0)).toBe('0');
  expect(quantity(-14.67576)).toBe('−14.68');
  expect(quantity(0.012345)).toBe('0.01235');
  expect(quantity(123456)).toBe('123456');
  expect(quantity(3.664204e-15)).toBe('3.664e-15');
  expect(quantity(2.5e7, 3)).toBe('2.50e7');
  expect(quantity(NaN)).toBe('–');
});

it('values that move keep their width', () => {
  expect(steady(1, 20)).toBe('1.00');
  expect(steady(-0.001, 20)).toBe('0.00'); // no minus before a zero
  expect(steady(-3.456, 20)).toBe('−3.46');
  expect(steady(0, 0)).toBe('0');
  expect(steady(Infinity, 1)).toBe('–');
});

it('whole numbers are grouped from five digits on', () => {
  expect(whole(646)).toBe('646');
  expect(whole(4251)).toBe('4251');
  expect(whole(75270)).toBe('75\u2009270');
  expect(whole(-1234567)).toBe('−1\u2009234\u2009567');
});

it('ticks are short', () => {
  expect(tick(0.30000000000000004)).toBe('0.3');
  expect(tick(-2)).toBe('−2');
  expect(tick(250000)).toBe('2.5e5');
});

it('forces go with the unit of the joint', () => {
  expect(forceUnit('rad')).toBe('N m');
  expect(forceUnit('m')).toBe('N');
});
