import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SandboxListing, SessionId } from '@ship/protocol';
import { useState } from 'react';
import { loadSandboxApi } from '../../../../api/load.ts';
import { useAction } from '../../../../data/use-action.ts';
import { toast } from '../../../../ui/toast-store.ts';
import { childOf, nameOf, parentOf, rowsOf, visibleFolders } from './tree.ts';

/** Limits parallel uploads: a hundred files must not open a hundred connections. */
const uploadsAtOnce = 3;

/** The sandbox's file tree, loaded folder by folder, with its actions. */
export function useFiles(sessionId: SessionId, isShown: boolean) {
  const client = useQueryClient();
  const [chosenRoot, setRoot] = useState<string | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const start = useQuery({
    queryKey: ['sandbox-files', sessionId],
    queryFn: async ({ signal }) =>
      (await loadSandboxApi()).listSandboxFolder(sessionId, undefined, signal),
    enabled: isShown,
    retry: false,
  });
  const root = chosenRoot ?? start.data?.path ?? null;
  const folders = root === null ? [] : visibleFolders(root, open);
  const listed = useQueries({
    queries: folders.map((path) => ({
      queryKey: ['sandbox-files', sessionId, path],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await loadSandboxApi()).listSandboxFolder(sessionId, path, signal),
      enabled: isShown,
      retry: false,
      staleTime: 2_000,
    })),
  });
  const listings = new Map(
    listed.flatMap(({ data }): [string, SandboxListing][] =>
      data === undefined ? [] : [[data.path, data]],
    ),
  );
  const error = start.error ?? listed.find((one) => one.error !== null)?.error ?? null;
  const refresh = () => void client.invalidateQueries({ queryKey: ['sandbox-files', sessionId] });

  const upload = useAction(
    async ({ files, folder }: { readonly files: readonly File[]; readonly folder: string }) => {
      const { writeSandboxFile } = await loadSandboxApi();
      const waiting = [...files];
      const work = async () => {
        for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
          await writeSandboxFile(sessionId, childOf(folder, file.name), file);
      };
      await Promise.all(Array.from({ length: uploadsAtOnce }, work));
      return files.length;
    },
    {
      onDone: (count) => {
        toast({
          tone: 'ok',
          title: count === 1 ? '1 file uploaded' : `${count} files uploaded`,
        });
        refresh();
      },
    },
  );
  const makeFolder = useAction(
    async (path: string) => (await loadSandboxApi()).makeSandboxFolder(sessionId, path),
    { onDone: refresh },
  );
  const rename = useAction(
    async ({ path, name }: { readonly path: string; readonly name: string }) =>
      (await loadSandboxApi()).moveSandboxFile(sessionId, path, childOf(parentOf(path), name)),
    { onDone: refresh },
  );
  const remove = useAction(
    async (path: string) => {
      await (await loadSandboxApi()).removeSandboxFile(sessionId, path);
      return path;
    },
    {
      onDone: (path) => {
        toast({ tone: 'ok', title: `${nameOf(path)} deleted` });
        refresh();
      },
    },
  );
  return {
    root,
    rows: root === null ? [] : rowsOf(root, listings, open),
    isTruncated: [...listings.values()].some(({ truncated }) => truncated),
    isLoading: root === null ? start.isFetching : !listings.has(root),
    error,
    refresh,
    isUploading: upload.isPending,
    upload: upload.mutate,
    makeFolder: makeFolder.mutate,
    rename: rename.mutate,
    remove: remove.mutate,
    goTo: setRoot,
    toggle: (path: string) => {
      const next = new Set(open);
      if (!next.delete(path)) next.add(path);
      setOpen(next);
    },
  };
}
