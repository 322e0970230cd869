import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from './read-file.ts';
import { isObjectId } from './ref-names.ts';

/**
 * Branches and tags straight from the files that git keeps them in. Every look at a pull request asks for them, and a
 * process for each would cost many times more. Loose files are read before `packed-refs`: git packs a ref first and
 * removes its file afterwards, so in this order a ref that is being packed is seen in one place at least; in the other
 * order it could be seen in neither, and its pull request would be taken for closed.
 */
export function readTips(gitDir: string): Map<string, string> | undefined {
  if (!usesFiles(gitDir)) return undefined;
  const loose = new Map<string, string>();
  for (const folder of ['refs/heads', 'refs/tags'])
    for (const entry of listFiles(join(gitDir, folder))) {
      const content = readRegularFile(join(gitDir, folder, entry));
      if (content !== undefined) loose.set(`${folder}/${entry}`, content.trim());
    }
  const tips = parsePacked(readRegularFile(join(gitDir, 'packed-refs')) ?? '');
  for (const [name, content] of loose) tips.set(name, content);
  for (const [name, content] of tips) {
    const sha = follow(tips, content);
    if (sha === undefined) tips.delete(name);
    else tips.set(name, sha);
  }
  return tips;
}

/** Not known: the files do not say, git has to be asked. */
type BranchTip = { known: true; sha: string | undefined } | { known: false };

/** One branch; the caller has checked that the name is valid, so it cannot leave the folder. */
export function readBranchTip(gitDir: string, name: string): BranchTip {
  if (!usesFiles(gitDir)) return { known: false };
  const loose = readRegularFile(join(gitDir, name))?.trim();
  if (loose !== undefined)
    return isObjectId(loose) ? { known: true, sha: loose } : { known: false };
  return {
    known: true,
    sha: parsePacked(readRegularFile(join(gitDir, 'packed-refs')) ?? '').get(name),
  };
}

/** Newer versions of git can keep refs in another format. */
function usesFiles(gitDir: string): boolean {
  return existsSync(join(gitDir, 'refs')) && !existsSync(join(gitDir, 'reftable'));
}

export function parsePacked(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^([0-9a-f]{40}) (refs\/(?:heads|tags)\/.+)$/.exec(line);
    const [, sha, name] = match ?? [];
    if (sha !== undefined && name !== undefined) refs.set(name, sha);
  }
  return refs;
}

/** A ref may name another one, a few levels deep at most; one that leads nowhere is none. */
function follow(tips: ReadonlyMap<string, string>, content: string): string | undefined {
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
