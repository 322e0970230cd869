/** Common small mistakes, and how each fix changes the result. Pure. */

export interface Pattern {
  name: string;
  find: RegExp;
  replace: string;
  effect: 'grow' | 'shrink' | 'flip';
  /** The fix changes the result by exactly one. */
  byOne: boolean;
}

const pattern = (
  name: string,
  find: RegExp,
  replace: string,
  effect: Pattern['effect'],
  byOne = false,
): Pattern => ({ name, find, replace, effect, byOne });

/** Operators must have a space on both sides, to exclude `=>`, `->` and type parameters. */
export const PATTERNS: readonly Pattern[] = [
  pattern('one too few', / - 1\b(?!\.)/, '', 'grow', true),
  pattern('one too many', / \+ 1\b(?!\.)/, '', 'shrink', true),
  pattern('the bound is excluded', / < /, ' <= ', 'grow', true),
  pattern('the bound is included', / <= /, ' < ', 'shrink', true),
  pattern('the bound is excluded', / > /, ' >= ', 'grow', true),
  pattern('the bound is included', / >= /, ' > ', 'shrink', true),
  pattern('rounded down', /\b(Math\.|math\.)floor\(/, '$1ceil(', 'grow', true),
  pattern('rounded up', /\b(Math\.|math\.)ceil\(/, '$1floor(', 'shrink', true),
  pattern('the first item is skipped', /(\blet \w+ = )1\b/, '$10', 'grow', true),
  pattern('the first item is skipped', /\brange\(1, /, 'range(', 'grow', true),
  pattern('the comparison is inverted', / === /, ' !== ', 'flip'),
  pattern('the comparison is inverted', / !== /, ' === ', 'flip'),
  pattern('the comparison is inverted', / == /, ' != ', 'flip'),
  pattern('the comparison is inverted', / != /, ' == ', 'flip'),
  pattern('"and" instead of "or"', / && /, ' || ', 'flip'),
  pattern('"or" instead of "and"', / \|\| /, ' && ', 'flip'),
  pattern('"and" instead of "or"', / and /, ' or ', 'flip'),
  pattern('"or" instead of "and"', / or /, ' and ', 'flip'),
  pattern('the minimum is used', /\b(Math\.)?min\(/, '$1max(', 'grow'),
  pattern('the maximum is used', /\b(Math\.)?max\(/, '$1min(', 'shrink'),
  pattern('subtracted instead of added', / - /, ' + ', 'grow'),
  pattern('added instead of subtracted', / \+ /, ' - ', 'shrink'),
  pattern('the return value is inverted', /\breturn true\b/, 'return false', 'flip'),
  pattern('the return value is inverted', /\breturn false\b/, 'return true', 'flip'),
];
