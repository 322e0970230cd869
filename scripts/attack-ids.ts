/** The ids of attacks: in titles of tests, and where docs/security.md cites them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './steps.ts';

/** `browser`: e2e files, of which only the tests with an id are attacks. */
export type AttackSuite = 'processes' | 'browser';

export interface AttackFile {
  suite: AttackSuite;
  file: string;
}

/** The beginning of every title, for the runners' own selection. */
export const ATTACK_TITLE = String.raw`\[AT-`;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

export function attackFiles(): AttackFile[] {
  const processes = globSync('apps/*/test/attack/**/*.test.ts', { cwd: ROOT });
  const browser = globSync('e2e/**/*.e2e.ts', { cwd: ROOT });
  return [
    ...processes.sort().map((file): AttackFile => ({ suite: 'processes', file })),
    ...browser
      .sort()
      .filter((file) => idsInTitles(read(file)).length > 0)
      .map((file): AttackFile => ({ suite: 'browser', file })),
  ];
}

/** Titles of tests: a string that begins with the id. */
export const idsInTitles = (source: string): string[] =>
  [...source.matchAll(/['"`]\[(AT-\w+)\] (?:\[\w+\] )*attack: /g)].map((match) => match[1] ?? '');

/** Each id has its prefix: `AT-M3A, AT-M3B`, or a range that counts its last letter or number: `AT-M2A to AT-M2F`. */
export function idsInDocument(text: string): string[] {
  return [...text.matchAll(/AT-(\w+)(?: to AT-(\w+))?/g)].flatMap(([, first = '', last]) =>
    (last === undefined ? [first] : rangeOf(first, last)).map((id) => `AT-${id}`),
  );
}

function rangeOf(first: string, last: string): string[] {
  const [, stem = '', from = ''] = /^(.*?)(\d+|[A-Za-z])$/.exec(first) ?? [];
  const to = last.slice(stem.length);
  if (!last.startsWith(stem) || to === '') throw new Error(`${first} to ${last} is no range`);
  const isNumber = /^\d+$/.test(from);
  const start = isNumber ? Number(from) : from.charCodeAt(0);
  const end = isNumber ? Number(to) : to.charCodeAt(0);
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => {
    const value = start + index;
    return (
      stem + (isNumber ? String(value).padStart(from.length, '0') : String.fromCharCode(value))
    );
  });
}
