/** The server uses the same names, so other browsers on this session find the same terminals. */
const prefix = 'shell-';

/** Sorts by number; other names come last. */
export function sortedNames(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted(
    (a, b) => numberOf(a) - numberOf(b) || (a < b ? -1 : a === b ? 0 : 1),
  );
}

/** The lowest free name. */
export function nextName(names: readonly string[]): string {
  const taken = new Set(names);
  let number = 1;
  while (taken.has(`${prefix}${number}`)) number += 1;
  return `${prefix}${number}`;
}

/** The tab to select after one closes: its right neighbour, else its left one. */
export function neighbour(names: readonly string[], closed: string): string | undefined {
  const at = names.indexOf(closed);
  return names[at + 1] ?? names[at - 1];
}

export const labelOf = (name: string): string =>
  name.startsWith(prefix) ? `Shell ${name.slice(prefix.length)}` : name;

function numberOf(name: string): number {
  const number = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
  return Number.isInteger(number) ? number : Number.MAX_SAFE_INTEGER;
}
