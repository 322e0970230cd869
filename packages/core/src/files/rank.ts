/** Scores how well a path matches the query: letters in order, best when adjacent and at the start of a word. */
function score(path: string, wanted: string): number | undefined {
  const text = path.toLowerCase();
  const nameAt = text.lastIndexOf('/') + 1;
  const inName = text.indexOf(wanted, nameAt);
  if (inName !== -1) return 1000 - (inName - nameAt) * 2 - path.length / 100;
  const together = text.indexOf(wanted);
  if (together !== -1) return 500 - path.length / 100;
  let at = -1;
  let points = 0;
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1);
    if (next === -1) return undefined;
    if (next === at + 1) points += 3;
    if (next === 0 || /[/._-]/.test(text[next - 1] ?? '')) points += 2;
    at = next;
  }
  return points - path.length / 100;
}

/** The paths that have all letters of the query in their order, the best first. */
export function rankPaths(paths: readonly string[], query: string, limit: number): string[] {
  const wanted = query.toLowerCase().replaceAll(/\s/g, '');
  if (wanted === '')
    return paths.toSorted((a, b) => depth(a) - depth(b) || a.localeCompare(b)).slice(0, limit);
  return paths
    .flatMap((path) => {
      const points = score(path, wanted);
      return points === undefined ? [] : [{ path, points }];
    })
    .toSorted((a, b) => b.points - a.points || a.path.localeCompare(b.path))
    .slice(0, limit)
    .map(({ path }) => path);
}

const depth = (path: string): number => path.split('/').length;
