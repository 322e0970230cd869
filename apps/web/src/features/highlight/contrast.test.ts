import { describe, expect, it } from 'vitest';
import css from '../../styles/tokens.css?raw';
import { kinds } from './kinds.ts';

/** Backgrounds of unchanged, changed and selected lines, in blocks and in cards. */
const backgrounds = ['canvas', 'surface', 'rail', 'ok-soft', 'bad-soft', 'accent-soft'];

const themeOf = (selector: string) => {
  const start = css.indexOf(`${selector} {`);
  const rules = css.slice(start, css.indexOf('}', start));
  return new Map(
    [...rules.matchAll(/--([a-z-]+): #([0-9a-f]{6})/g)].map(([, name = '', hex = '']) => [
      name,
      hex,
    ]),
  );
};

/** Relative luminance by WCAG 2. */
function luminance(hex = ''): number {
  const [red = NaN, green = NaN, blue = NaN] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe.each([':root', '.dark'])('colours of code in %s', (selector) => {
  it('[WB17] have enough contrast on every background of code', () => {
    const theme = themeOf(selector);
    for (const kind of kinds)
      for (const ground of backgrounds) {
        const [one, other] = [luminance(theme.get(`code-${kind}`)), luminance(theme.get(ground))];
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        expect(contrast, `${kind} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
  });
});
