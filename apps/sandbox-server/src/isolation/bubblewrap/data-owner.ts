/**
 * The ids that own the files of a data folder. The folder records them: after `uidmap` was installed, for example, files of
 * one range would belong to `nobody` in sandboxes that are mapped to another.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../replace-file.ts';
import { singleIdOwner, type FileOwner } from './file-owner.ts';
import type { HostTools } from './host-tools.ts';
import { sandboxPaths, type Layout } from './layout.ts';
import { runningProcesses, readState } from './state.ts';

const describe = (owner: FileOwner): string =>
  owner.uidStart === undefined ? owner.mode : `${owner.mode} ${owner.uidStart}`;

const entries = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];

/** The owner to use for this data folder; its files change owner first when they belong to others. */
export async function resolveOwner(
  layout: Layout,
  wanted: FileOwner,
  tools: HostTools,
): Promise<FileOwner> {
  const file = join(layout.root, 'owner');
  const recorded = readOwner(file) ?? beforeRecords(layout, wanted);
  if (recorded === describe(wanted)) return remember(file, wanted);
  const ids = entries(layout.sandboxes);
  const isRunning = ids.some(
    (id) => runningProcesses(readState(sandboxPaths(layout, id))).length > 0,
  );
  if (recorded === 'single' && isRunning)
    return singleIdOwner(tools, 'stop all sandboxes and start again; then each has two ids');
  if (recorded.startsWith('subordinate'))
    throw new Error(
      `the files in ${layout.root} belong to the ids "${recorded}", but this server would use "${describe(wanted)}"; ` +
        `restore /etc/subuid and the package uidmap, or choose another data folder`,
    );
  for (const name of entries(layout.layers))
    await assignIfPresent(wanted, join(layout.layers, name, 'fs'));
  for (const id of ids) await assignIfPresent(wanted, sandboxPaths(layout, id).upper);
  return remember(file, wanted);
}

async function assignIfPresent(owner: FileOwner, tree: string): Promise<void> {
  if (existsSync(tree)) await owner.assign(tree);
}

function readOwner(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Versions without this file had two modes. A folder without layers is new. */
function beforeRecords(layout: Layout, wanted: FileOwner): string {
  if (entries(layout.layers).length === 0) return describe(wanted);
  return wanted.mode === 'root' ? 'root' : 'single';
}

function remember(file: string, owner: FileOwner): FileOwner {
  const text = `${describe(owner)}\n`;
  if (readOwner(file) !== text.trim()) replaceFile(file, Buffer.from(text));
  return owner;
}
