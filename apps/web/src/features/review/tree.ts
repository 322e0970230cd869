import type { FileDiff } from '@ship/protocol';

export type TreeRow =
  | { readonly kind: 'folder'; readonly name: string; readonly depth: number; readonly key: string }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly depth: number;
      readonly file: FileDiff;
    };

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: FileDiff[];
}

const emptyFolder = (): Folder => ({ folders: new Map(), files: [] });

/** Folders before files, each by name; a folder whose only child is a folder shares its row. */
export function treeOf(files: readonly FileDiff[]): readonly TreeRow[] {
  const root = emptyFolder();
  for (const file of files) {
    let at = root;
    for (const part of file.path.split('/').slice(0, -1)) {
      const next = at.folders.get(part) ?? emptyFolder();
      at.folders.set(part, next);
      at = next;
    }
    at.files.push(file);
  }
  return rowsOf(root, '', 0);
}

function rowsOf(folder: Folder, prefix: string, depth: number): readonly TreeRow[] {
  const folders = [...folder.folders].toSorted(([a], [b]) => a.localeCompare(b));
  const files = folder.files.toSorted((a, b) => a.path.localeCompare(b.path));
  return [
    ...folders.flatMap(([first, inner]) => {
      const { name, end } = joined(first, inner);
      const key = `${prefix}${name}/`;
      return [{ kind: 'folder', name, depth, key } as const, ...rowsOf(end, key, depth + 1)];
    }),
    ...files.map((file) => ({
      kind: 'file' as const,
      name: file.path.slice(file.path.lastIndexOf('/') + 1),
      depth,
      file,
    })),
  ];
}

function joined(name: string, folder: Folder): { name: string; end: Folder } {
  const [only] = folder.folders;
  if (only === undefined || folder.folders.size > 1 || folder.files.length > 0)
    return { name, end: folder };
  return joined(`${name}/${only[0]}`, only[1]);
}

/** Files in the order of the tree, so that the diff follows the list beside it. */
export const inTreeOrder = (files: readonly FileDiff[]): readonly FileDiff[] =>
  treeOf(files).flatMap((row) => (row.kind === 'file' ? [row.file] : []));
