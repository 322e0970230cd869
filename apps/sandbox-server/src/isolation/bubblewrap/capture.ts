/**
 * Snapshots a sandbox's files as a new shared layer.
 *
 * Stopped: its upper folder becomes the layer and a new, empty one is put on top. Nothing is copied.
 *
 * Running: the upper folder is copied while the processes are frozen. Swapping the folder under a running sandbox would
 * be quicker, but not correct: a process keeps its working folder, open files, locks and file watches on the old mount,
 * so it would keep writing into the snapshot and miss the writes of others. Hard links share contents both ways for the
 * same reason. On btrfs and XFS the copy shares blocks (reflink) and costs next to nothing.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FileOwner } from './file-owner.ts';
import type { Layers } from './layers.ts';
import type { SandboxPaths } from './layout.ts';
import { writeState, type SandboxState } from './state.ts';

export interface Capture {
  layers: Layers;
  paths: SandboxPaths;
  state: SandboxState;
  layer: string;
  isStopped: boolean;
  hasOwnersByRule: boolean;
  owner: FileOwner;
  /** The program that copies: cp(1) of coreutils. */
  cp: string;
}

export async function captureLayer(capture: Capture): Promise<void> {
  const { layers, paths, layer, owner } = capture;
  const state = await completeCapture(layers, paths, capture.state, owner);
  const staged = join(await layers.stage(layer), 'fs');
  if (capture.isStopped) {
    // Recorded first: a crash between the next steps must not lose the only copy of the files.
    writeState(paths, { ...state, capturing: layer });
    await owner.rename(paths.upper, staged);
    await layers.publish(layer, state.lowers, capture.hasOwnersByRule);
    await completeCapture(layers, paths, { ...state, capturing: layer }, owner);
    return;
  }
  await owner.run(capture.cp, ['-a', '--reflink=auto', '--', paths.upper, staged]);
  await layers.publish(layer, state.lowers);
}

/** Completes a capture of a stopped sandbox that a crash interrupted: forwards if the layer exists, otherwise back. */
export async function completeCapture(
  layers: Layers,
  paths: SandboxPaths,
  state: SandboxState,
  owner: FileOwner,
): Promise<SandboxState> {
  const { capturing, ...settled } = state;
  if (capturing === undefined) return state;
  const isPublished = layers.exists(capturing);
  if (isPublished && !settled.lowers.includes(capturing))
    settled.lowers = [capturing, ...settled.lowers];
  const staged = join(layers.stagedFolder(capturing), 'fs');
  if (!isPublished && !existsSync(paths.upper) && existsSync(staged))
    await owner.rename(staged, paths.upper);
  mkdirSync(paths.upper, { recursive: true, mode: 0o755 });
  writeState(paths, settled);
  return settled;
}
