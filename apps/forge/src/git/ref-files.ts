import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from './read-file.ts';
import { isObjectId } from './ref-names.ts';

/**
 * Reads branches and tags from git's files: every read of a pull request needs them, and a git process each time is far
 * slower. Loose files are read before `packed-refs`: git packs a ref first and then removes its file. In the other order
 * a ref that is being packed could be missed in both, and its pull request would be closed.
 */
export function readTips(gitDir: string): Map<string, string> | undefined {
  if (!usesFilesBackend(gitDir)) return undefined;
  const loose = new Map<string, string>();
  for (const folder of ['refs/heads', 'refs/tags'])
    for (const entry of listFiles(join(gitDir, folder))) {
      const content = readRegularFile(join(gitDir, folder, entry));
      if (content !== undefined) loose.set(`${folder}/${entry}`, content.trim());
    }
  const tips = parsePackedRefs(readRegularFile(join(gitDir, 'packed-refs')) ?? '');
  for (const [name, content] of loose) tips.set(name, content);
  for (const [name, content] of tips) {
    const sha = resolveSymbolic(tips, content);
    if (sha === undefined) tips.delete(name);
    else tips.set(name, sha);
  }
  return tips;
}

/** `known: false` when only git can resolve the ref. */
type BranchTip = { known: true; sha: string | undefined } | { known: false };

/** The caller must validate `name`: an invalid one could leave the folder. */
export function readBranchTip(gitDir: string, name: string): BranchTip {
  if (!usesFilesBackend(gitDir)) return { known: false };
  const loose = readRegularFile(join(gitDir, name))?.trim();
  if (loose !== undefined)
    return isObjectId(loose) ? { known: true, sha: loose } : { known: false };
  return {
    known: true,
    sha: parsePackedRefs(readRegularFile(join(gitDir, 'packed-refs')) ?? '').get(name),
  };
}

/** Newer versions of git can store refs as a reftable instead. */
function usesFilesBackend(gitDir: string): boolean {
  return existsSync(join(gitDir, 'refs')) && !existsSync(join(gitDir, 'reftable'));
}

export function parsePackedRefs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^([0-9a-f]{40}) (refs\/(?:heads|tags)\/.+)$/.exec(line);
    const [, sha, name] = match ?? [];
    if (sha !== undefined && name !== undefined) refs.set(name, sha);
  }
  return refs;
}

/** Resolves symbolic refs up to five levels; undefined for a dangling one. */
function resolveSymbolic(tips: ReadonlyMap<string, string>, content: string): string | undefined {
  let current: string | undefined = content;
  for (let depth = 0; depth < 5 && current !== undefined; depth += 1) {
    if (isObjectId(current)) return current;
    current = tips.get(current.replace(/^ref: /, ''));
  }
  return undefined;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch {
    return [];
  }
}
