/** Isolation back ends. The API picks one here and uses only the interface. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildRuntime } from '../templates/runtime.ts';
import { hostSystemFolders } from '../templates/skeleton.ts';
import type { SharedFolder, ToolchainMounts } from './backend.ts';
import { resolveOwner } from './bubblewrap/data-owner.ts';
import { openFileOwner } from './bubblewrap/file-owner.ts';
import { findHostTools } from './bubblewrap/host-tools.ts';
import { BubblewrapBackend } from './bubblewrap/index.ts';
import { finishRemovals } from './bubblewrap/remove-tree.ts';
import { layoutOf } from './bubblewrap/layout.ts';
import { openCgroups } from './cgroups/index.ts';
import { replaceFile } from './replace-file.ts';
import { seccompProgram } from './seccomp/policy.ts';

/** Call `probe` before the first `start`: it reports whether this machine can isolate, with a remedy if not. */
export async function createBubblewrapBackend(options: {
  dataFolder: string;
  shared?: readonly SharedFolder[];
  toolchains?: ToolchainMounts;
}): Promise<BubblewrapBackend> {
  const layout = layoutOf(resolve(options.dataFolder));
  mkdirSync(layout.runtime, { recursive: true, mode: 0o755 });
  // Only the server may enter, even if something else created the folder.
  chmodSync(layout.root, 0o700);
  const runtime = await buildRuntime(layout.runtime);
  const seccompFile = join(layout.runtime, `seccomp-${process.arch}.bpf`);
  replaceFile(seccompFile, seccompProgram(process.arch === 'arm64' ? 'arm64' : 'x64'));
  const tools = findHostTools();
  const owner = await resolveOwner(layout, await openFileOwner(tools), tools);
  for (const folder of [layout.sandboxes, layout.layers])
    if (existsSync(folder)) await finishRemovals(folder, owner);
  const backend = new BubblewrapBackend({
    layout,
    tools,
    cgroups: openCgroups(layout.instance),
    runtimeName: runtime.name,
    seccompFile,
    owner,
    extraSystemFolders: hostSystemFolders().real,
    shared: options.shared ?? [],
    toolchains: options.toolchains,
  });
  await backend.claim();
  return backend;
}
