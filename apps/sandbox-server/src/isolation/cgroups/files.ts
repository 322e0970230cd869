/** Reads and writes cgroup files. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

export function readNumber(path: string): number | undefined {
  const text = readText(path);
  return text === undefined || text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

/** A value from a file of `name value` lines. */
export function readField(path: string, name: string): number | undefined {
  const line = readText(path)
    ?.split('\n')
    .find((row) => row.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

export function readPids(path: string): number[] {
  return (readText(path) ?? '').split('\n').filter(Boolean).map(Number);
}

/** For settings that some kernels lack, such as limits on swap. */
export function tryWrite(path: string, value: string): boolean {
  try {
    writeFileSync(path, value);
    return true;
  } catch {
    return false;
  }
}

export function subfolders(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** Whether groups can be created in this folder, by trying. Removes the group: a failed start has no last sandbox to do so. */
export function canCreateGroupIn(parent: string, name: string): boolean {
  try {
    mkdirSync(join(parent, name), { recursive: true });
    removeParentIfEmpty(join(parent, name));
    return true;
  } catch {
    return false;
  }
}

const REMOVE_ATTEMPTS = 200;

/** A group stays busy for a moment after its last process has exited. */
export async function removeGroup(path: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      rmdirSync(path);
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || attempt >= REMOVE_ATTEMPTS) throw error;
    }
    await delay(5);
  }
}

export async function waitFor(
  isDone: () => boolean,
  what: string,
  timeoutMs = 10_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = 0; !isDone(); pauseMs = Math.min(pauseMs + 1, 10)) {
    if (Date.now() > deadline) throw new Error(`${what} took longer than ${timeoutMs} ms`);
    await delay(pauseMs);
  }
}

/** Removes the folder of all our groups with the last of them; while it contains others, it stays. */
export function removeParentIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Not empty, or already gone.
  }
}
