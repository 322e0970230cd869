import type { FolderEntry } from '@ship/protocol';
import { httpFailure } from './failures.ts';
import type { Octokit } from './octokit.ts';

interface ContentPath {
  owner: string;
  repo: string;
  path: string;
  ref: string;
}

const KINDS: Readonly<Record<string, FolderEntry['kind']>> = {
  file: 'file',
  dir: 'folder',
  symlink: 'link',
};

async function contents(octokit: Octokit, at: ContentPath) {
  try {
    return (await octokit.rest.repos.getContent({ ...at })).data;
  } catch (error) {
    if (httpFailure(error)?.status === 404) return undefined;
    throw error;
  }
}

export async function readFolder(
  octokit: Octokit,
  at: ContentPath,
): Promise<FolderEntry[] | undefined> {
  const data = await contents(octokit, at);
  if (!Array.isArray(data)) return undefined;
  return data.map(({ name, type, size }) => {
    const kind = KINDS[type] ?? 'other';
    return { name, kind, sizeBytes: kind === 'file' ? size : null };
  });
}

/** Does not follow links: their target has its own path. */
export async function readFile(
  octokit: Octokit,
  at: ContentPath,
): Promise<Uint8Array | null | undefined> {
  const data = await contents(octokit, at);
  if (data === undefined || Array.isArray(data) || data.type !== 'file') return undefined;
  if (data.encoding !== 'base64') return null;
  return Uint8Array.from(atob(data.content.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0));
}

/** A repository that is too large for one listing is listed in part. */
export async function readPaths(
  octokit: Octokit,
  at: { owner: string; repo: string; tree_sha: string },
): Promise<string[]> {
  const { data } = await octokit.rest.git.getTree({ ...at, recursive: '1' });
  return data.tree.flatMap(({ type, path }) => (type === 'blob' ? [path] : []));
}
