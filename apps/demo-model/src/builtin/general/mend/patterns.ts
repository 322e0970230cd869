/** Small mistakes that everybody makes, and what each correction does to the result. Pure. */

export interface Pattern {
  name: string;
  find: RegExp;
  replace: string;
  effect: 'grow' | 'shrink' | 'flip';
  /** Corrections by exactly one. */
  byOne: boolean;
}

const pattern = (
  name: string,
  find: RegExp,
  replace: string,
  effect: Pattern['effect'],
  byOne = false,
): Pattern => ({ name, find, replace, effect, byOne });

/** Operators only count with a space on both sides: `=>`, `->` and type parameters are none. */
export const PATTERNS: readonly Pattern[] = [
  pattern('one too few', / - 1\b(?!\.)/, '', 'grow', true),
  pattern('one too many', / \+ 1\b(?!\.)/, '', 'shrink', true),
  pattern('the bound is excluded', / < /, ' <= ', 'grow', true),
  pattern('the bound is included', / <= /, ' < ', 'shrink', true),
  pattern('the bound is excluded', / > /, ' >= ', 'grow', true),
  pattern('the bound is included', / >= /, ' > ', 'shrink', true),
  pattern('rounded down', /\b(Math\.|math\.)floor\(/, '$1ceil(', 'grow', true),
  pattern('rounded up', /\b(Math\.|math\.)ceil\(/, '$1floor(', 'shrink', true),
  pattern('the first is skipped', /(\blet \w+ = )1\b/, '$10', 'grow', true),
  pattern('the first is skipped', /\brange\(1, /, 'range(', 'grow', true),
  pattern('the comparison is reversed', / === /, ' !== ', 'flip'),
  pattern('the comparison is reversed', / !== /, ' === ', 'flip'),
  pattern('the comparison is reversed', / == /, ' != ', 'flip'),
  pattern('the comparison is reversed', / != /, ' == ', 'flip'),
  pattern('both instead of one', / && /, ' || ', 'flip'),
  pattern('one instead of both', / \|\| /, ' && ', 'flip'),
  pattern('both instead of one', / and /, ' or ', 'flip'),
  pattern('one instead of both', / or /, ' and ', 'flip'),
  pattern('the smaller is taken', /\b(Math\.)?min\(/, '$1max(', 'grow'),
  pattern('the larger is taken', /\b(Math\.)?max\(/, '$1min(', 'shrink'),
  pattern('subtracted instead of added', / - /, ' + ', 'grow'),
  pattern('added instead of subtracted', / \+ /, ' - ', 'shrink'),
  pattern('the answer is reversed', /\breturn true\b/, 'return false', 'flip'),
  pattern('the answer is reversed', /\breturn false\b/, 'return true', 'flip'),
];
