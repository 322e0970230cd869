/** Isolation back ends. The API picks one here and sees only the interface. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildRuntime } from '../templates/runtime.ts';
import { hostSystemFolders } from '../templates/skeleton.ts';
import type { Capabilities, IsolationBackend, Unusable } from './backend.ts';
import { findHostTools } from './bubblewrap/host-tools.ts';
import { BubblewrapBackend } from './bubblewrap/index.ts';
import { layoutOf } from './bubblewrap/layout.ts';
import { openCgroups } from './cgroups/index.ts';
import { seccompProgram } from './seccomp/policy.ts';

export { HOST_PACKAGES, missingPackages } from './bubblewrap/host-tools.ts';

export async function createBubblewrapBackend(options: {
  dataFolder: string;
}): Promise<IsolationBackend> {
  const layout = layoutOf(resolve(options.dataFolder));
  mkdirSync(layout.root, { recursive: true, mode: 0o700 });
  const tools = findHostTools();
  if ('missing' in tools) throw new Error(`missing programs: ${tools.missing.join(', ')}`);
  const runtime = await buildRuntime(layout.runtime);
  const seccompFile = join(layout.runtime, `seccomp-${process.arch}.bpf`);
  writeFileSync(seccompFile, seccompProgram(process.arch === 'arm64' ? 'arm64' : 'x64'));
  const cgroups = openCgroups(layout.instance);
  const isRoot = process.getuid?.() === 0;
  const capabilities: Capabilities | Unusable = {
    backend: 'bubblewrap',
    limits: { memory: 'hard', cpu: 'hard', processes: 'hard', disk: 'soft' },
    separateRoot: isRoot,
    notes: [],
  };
  return new BubblewrapBackend(
    {
      layout,
      tools,
      cgroups,
      runtimeName: runtime.name,
      seccompFile,
      isRoot,
      extraSystemFolders: hostSystemFolders().real,
    },
    capabilities,
  );
}
