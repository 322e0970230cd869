/**
 * A sandbox's files as a new shared layer.
 *
 * Stopped: its upper folder becomes the layer and a new, empty one is put on top. Nothing is copied.
 *
 * Running: the upper folder is copied while the processes are frozen. Swapping the folder under a running sandbox would
 * be quicker, but not correct: a process keeps its working folder, open files, locks and file watches on the old mount,
 * so it would go on writing into the snapshot and miss what others write. Hard links share contents both ways for the
 * same reason. On btrfs and XFS the copy shares blocks (reflink) and costs next to nothing.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HostTools } from './host-tools.ts';
import type { Layers } from './layers.ts';
import type { SandboxPaths } from './layout.ts';
import { writeState, type SandboxState } from './state.ts';

const run = promisify(execFile);

export interface Capture {
  layers: Layers;
  paths: SandboxPaths;
  state: SandboxState;
  layer: string;
  isStopped: boolean;
  tools: HostTools;
  isRoot: boolean;
}

export async function captureLayer(capture: Capture): Promise<void> {
  const { layers, paths, layer } = capture;
  const state = settleCapture(layers, paths, capture.state);
  const staged = join(await layers.stage(layer), 'fs');
  if (capture.isStopped) {
    // Written down first: a crash between the next steps must not lose the only copy of the files.
    writeState(paths, { ...state, capturing: layer });
    renameSync(paths.upper, staged);
    layers.publish(layer, state.lowers);
    settleCapture(layers, paths, { ...state, capturing: layer });
    return;
  }
  const { cp, unshare } = capture.tools;
  const copy = [cp, '-a', '--reflink=auto', '--', paths.upper, staged] as const;
  // Files that their owner may not read are copied all the same: by root of a user namespace of his own.
  const [program, ...args] = capture.isRoot
    ? copy
    : ([unshare, '--user', '--map-root-user', '--', ...copy] as const);
  await run(program, args);
  layers.publish(layer, state.lowers);
}

/** Ends a capture of a stopped sandbox that a crash may have cut anywhere: forwards if the layer exists, else back. */
export function settleCapture(
  layers: Layers,
  paths: SandboxPaths,
  state: SandboxState,
): SandboxState {
  const { capturing, ...settled } = state;
  if (capturing === undefined) return state;
  const isPublished = layers.exists(capturing);
  if (isPublished && !settled.lowers.includes(capturing))
    settled.lowers = [capturing, ...settled.lowers];
  const staged = join(layers.stagedFolder(capturing), 'fs');
  if (!isPublished && !existsSync(paths.upper) && existsSync(staged))
    renameSync(staged, paths.upper);
  mkdirSync(paths.upper, { recursive: true, mode: 0o755 });
  writeState(paths, settled);
  return settled;
}
