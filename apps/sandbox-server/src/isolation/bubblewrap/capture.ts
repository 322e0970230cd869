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
import { mkdirSync, renameSync } from 'node:fs';
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
  const { layers, paths, state, layer } = capture;
  const staged = join(await layers.stage(layer), 'fs');
  if (capture.isStopped) {
    renameSync(paths.upper, staged);
    layers.publish(layer, state.lowers);
    mkdirSync(paths.upper, { mode: 0o755 });
    writeState(paths, { ...state, lowers: [layer, ...state.lowers] });
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
