import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatMs,
  formatShare,
  formatStopwatch,
  formatUsd,
  repositoryName,
} from './format.ts';

describe('formats', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [4_100, '4.1 kB'],
    [123_456, '123 kB'],
    [1_200_000, '1.2 MB'],
    [5e12, '5000 GB'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [0, '$0.00'],
    [0.004, '<$0.01'],
    [0.83, '$0.83'],
    [12.5, '$12.50'],
    [1234.5, '$1,235'],
  ])('%d dollars are %s', (usd, text) => expect(formatUsd(usd)).toBe(text));

  it.each([
    [999, '999'],
    [1240, '1.24 k'],
    [999_900, '1,000 k'],
    [3_456_789, '3.46 M'],
  ])('%d is %s', (count, text) => expect(formatCount(count)).toBe(text));

  it.each([
    [-5, '0s'],
    [59_999, '59s'],
    [372_000, '6m12'],
    [3_725_000, '1h02'],
  ])('%d ms on the stopwatch are %s', (ms, text) => expect(formatStopwatch(ms)).toBe(text));

  it.each([
    [820.4, '820 ms'],
    [4120, '4.1 s'],
    [125_000, '2m05'],
  ])('%d ms measured are %s', (ms, text) => expect(formatMs(ms)).toBe(text));

  it('rounds shares to whole percents', () => expect(formatShare(0.666)).toBe('67%'));

  it.each([
    ['https://github.com/acme/shop.git', 'shop'],
    ['git@github.com:acme/shop.git', 'shop'],
    ['/home/me/code/shop/', 'shop'],
    ['shop', 'shop'],
  ])('%s has the name %s', (location, name) => expect(repositoryName(location)).toBe(name));
});
