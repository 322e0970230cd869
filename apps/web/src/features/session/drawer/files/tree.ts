import type { FolderEntry, SandboxListing } from '@ship/protocol';

export interface FileRow {
  readonly path: string;
  readonly name: string;
  readonly kind: FolderEntry['kind'];
  readonly sizeBytes: number | null;
  readonly level: number;
  readonly isOpen: boolean;
  /** Open, but not loaded yet. */
  readonly isLoading: boolean;
}

export const childOf = (folder: string, name: string): string =>
  folder === '/' ? `/${name}` : `${folder}/${name}`;

export const parentOf = (path: string): string => {
  const at = path.lastIndexOf('/');
  return at <= 0 ? '/' : path.slice(0, at);
};

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Only folders expand; links do not. */
export const mayOpen = ({ kind }: Pick<FileRow, 'kind'>): boolean => kind === 'folder';

/** The visible rows: the entries of an open folder follow it. */
export function rowsOf(
  root: string,
  listings: ReadonlyMap<string, SandboxListing>,
  open: ReadonlySet<string>,
  level = 1,
): FileRow[] {
  return (listings.get(root)?.entries ?? []).flatMap(({ name, kind, sizeBytes }) => {
    const path = childOf(root, name);
    const isOpen = mayOpen({ kind }) && open.has(path);
    const isLoading = isOpen && !listings.has(path);
    const row: FileRow = { path, name, kind, sizeBytes, level, isOpen, isLoading };
    return isOpen ? [row, ...rowsOf(path, listings, open, level + 1)] : [row];
  });
}

/** The visible open folders, which must be loaded. */
export function visibleFolders(root: string, open: ReadonlySet<string>): string[] {
  const isVisible = (path: string): boolean =>
    path === root || (open.has(path) && path !== '/' && isVisible(parentOf(path)));
  return [root, ...[...open].filter((path) => path !== root && isVisible(path))];
}

export type TreeStep =
  | { readonly focus: string }
  | { readonly toggle: string }
  | { readonly choose: string }
  | null;

/** Keyboard behaviour of a tree by the ARIA pattern. */
export function keyStep(
  rows: readonly FileRow[],
  focused: string | undefined,
  key: string,
): TreeStep {
  const at = rows.findIndex(({ path }) => path === focused);
  const row = rows[at];
  const to = (next: FileRow | undefined): TreeStep =>
    next === undefined ? null : { focus: next.path };
  switch (key) {
    case 'ArrowDown':
      return to(rows[at + 1]);
    case 'ArrowUp':
      return at > 0 ? to(rows[at - 1]) : null;
    case 'Home':
      return to(rows[0]);
    case 'End':
      return to(rows.at(-1));
    case 'ArrowRight':
      if (row === undefined || !mayOpen(row)) return null;
      if (!row.isOpen) return { toggle: row.path };
      return (rows[at + 1]?.level ?? 0) > row.level ? to(rows[at + 1]) : null;
    case 'ArrowLeft':
      if (row === undefined) return null;
      if (row.isOpen) return { toggle: row.path };
      return to(rows.find(({ path }) => path === parentOf(row.path)));
    case 'Enter':
    case ' ':
      if (row === undefined) return null;
      return mayOpen(row) ? { toggle: row.path } : { choose: row.path };
    default:
      return null;
  }
}
