import {
  type FolderEntry,
  type FolderListing,
  MAX_FILE_BYTES,
  MAX_LISTED_ENTRIES,
  fail,
} from '@ship/protocol';
import { sandboxShell } from '../../git/index.ts';
import { failed, script } from '../../git/work/shell.ts';
import { REPOSITORY_FOLDER } from '../workshop/git-work.ts';
import type { Workplace } from '../workshop/parts.ts';
import { type Access, noSandbox } from './access.ts';

/** The agent may have created symbolic links to anywhere: only paths within the repository and outside `.git` are shown. */
const FIND = `set -eu
repo=$(realpath -e -- "$1") || exit 3
real=$(realpath -e -- "$repo/$2") || exit 3
case "$real/" in "$repo"/.git/*) exit 3;; "$repo"/*) ;; *) exit 3;; esac
`;
const LIST = `${FIND}[ -d "$real" ] || exit 3
find "$real" -mindepth 1 -maxdepth 1 ! -name .git -printf '%y %s %f\\0' | head -z -n "$3"`;
/** Regular files only: reading a pipe would never end. */
const READ = `${FIND}[ -f "$real" ] || exit 3
[ "$(stat -c %s -- "$real")" -le "$3" ] || exit 4
head -c "$3" -- "$real" | base64 -w 0`;
const TIMEOUT_MS = 20_000;
const KINDS: Readonly<Record<string, FolderEntry['kind']>> = { f: 'file', d: 'folder', l: 'link' };

export interface FileContent {
  source: FolderListing['source'];
  bytes: Uint8Array;
}

export function listFolder(access: Access, path: string): Promise<FolderListing> {
  return access.either(
    async (place) => {
      const limit = MAX_LISTED_ENTRIES + 1;
      const entries = (await run(place, LIST, path, limit, 'list the folder'))
        .split('\0')
        .filter((record) => record !== '')
        .map(entryOf);
      return listing('sandbox', path, entries);
    },
    async () => {
      const forge = await access.forge();
      const entries = await forge.folder(path, access.tip ?? noSandbox('This folder'));
      return listing('forge', path, entries ?? notFound());
    },
  );
}

export function readFile(access: Access, path: string): Promise<FileContent> {
  return access.either<FileContent>(
    async (place) => {
      const text = await run(place, READ, path, MAX_FILE_BYTES, 'read the file');
      return { source: 'sandbox', bytes: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) };
    },
    async () => {
      const forge = await access.forge();
      const bytes = await forge.file(path, access.tip ?? noSandbox('This file'));
      if (bytes === undefined) return notFound();
      if (bytes === null || bytes.length > MAX_FILE_BYTES) return tooLarge();
      return { source: 'forge', bytes };
    },
  );
}

async function run(
  { port, sandboxId }: Workplace,
  text: string,
  path: string,
  limit: number,
  what: string,
): Promise<string> {
  const shell = sandboxShell(port, sandboxId);
  const words = [REPOSITORY_FOLDER, path, String(limit)];
  const outcome = await script(shell, text, words, { timeoutMs: TIMEOUT_MS });
  if (outcome.exitCode === 3) notFound();
  if (outcome.exitCode === 4) tooLarge();
  if (outcome.exitCode !== 0) failed(what, outcome);
  return outcome.stdout;
}

function entryOf(record: string): FolderEntry {
  const [, type = '', size = '', name = ''] = /^(\S) (\d+) ([^]*)$/.exec(record) ?? [];
  const kind = KINDS[type] ?? 'other';
  return { name, kind, sizeBytes: kind === 'file' ? Number(size) : null };
}

const order = ({ kind, name }: FolderEntry) => `${kind === 'folder' ? 0 : 1}${name}`;

function listing(
  source: FolderListing['source'],
  path: string,
  found: readonly FolderEntry[],
): FolderListing {
  const entries = found
    .slice(0, MAX_LISTED_ENTRIES)
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  // A forge that lists at most this many entries does not say whether there are more.
  const limit = source === 'forge' ? MAX_LISTED_ENTRIES - 1 : MAX_LISTED_ENTRIES;
  return { source, path, entries, truncated: found.length > limit };
}

function notFound(): never {
  return fail(
    'not-found',
    'The repository has no such entry at this path.',
    'List the folder that it should be in; it may have been moved or deleted.',
  );
}

function tooLarge(): never {
  return fail(
    'too-large',
    `The file has more than ${MAX_FILE_BYTES} bytes.`,
    'Open it in the editor, or clone the branch.',
  );
}
