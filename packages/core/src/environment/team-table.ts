import type { SourceRow } from './team-environment.ts';

const MAX_ITEM = 40;

/** The table that shows a person what Ship did with each part of the files, for a log and a terminal. */
export function environmentTable(rows: readonly SourceRow[]): string {
  if (rows.length === 0) return '';
  const width = Math.min(MAX_ITEM, Math.max(...rows.map(({ item }) => item.length)));
  const files = [...new Set(rows.map(({ file }) => file))];
  return files
    .map((file) => {
      const own = rows.filter((row) => row.file === file);
      const lines = own.map(
        ({ item, applied, why }) =>
          `  ${applied ? 'applied    ' : 'not applied'}  ${item.padEnd(width)}  ${why}`,
      );
      const count = own.filter(({ applied }) => applied).length;
      return [`${file}: ${count} of ${own.length} applied`, ...lines].join('\n');
    })
    .join('\n');
}
