/** Prepares a sandbox's folder and starts it. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, basename } from 'node:path';
import type { SandboxSpec, SharedFolder, ToolchainMounts } from '../backend.ts';
import type { Cgroups } from '../cgroups/index.ts';
import { bwrapArguments, FD, INSIDE, insideCommand, SUPERVISOR_FLAGS } from './arguments.ts';
import type { FileOwner } from './file-owner.ts';
import type { HostTools } from './host-tools.ts';
import { identityFor } from './identity.ts';
import { launchPlan } from './launch-plan.ts';
import type { Launchers } from './launchers.ts';
import type { Layout, SandboxPaths } from './layout.ts';
import { bootId } from './procfs.ts';
import { launch, type Launched } from './spawn.ts';
import { writeState, type SandboxState } from './state.ts';

export interface Machine {
  layout: Layout;
  tools: HostTools;
  cgroups: Cgroups;
  /** Name of the folder in `runtime` that is mounted as /opt/envd. */
  runtimeName: string;
  seccompFile: string;
  owner: FileOwner;
  extraSystemFolders: readonly string[];
  shared: readonly SharedFolder[];
  toolchains?: ToolchainMounts | undefined;
}

const START_TIMEOUT_MS = 30_000;

/** Node's flags for the supervisor: a small young generation and no spare threads, to save memory. */
const SUPERVISOR = [
  `${INSIDE.runtime}/envd`,
  '--max-semi-space-size=1',
  '--max-old-space-size=256',
  ...SUPERVISOR_FLAGS,
  `${INSIDE.runtime}/envd.cjs`,
  String(FD.config),
];

export async function startSandbox(
  machine: Machine,
  launchers: Launchers,
  paths: SandboxPaths,
  spec: SandboxSpec,
  state: SandboxState,
): Promise<Launched> {
  const { owner } = machine;
  const identity = identityFor(state.slot, owner.mode);
  const separateRoot = identity.mode !== 'single';
  mkdirSync(paths.upper, { recursive: true, mode: 0o755 });
  mkdirSync(paths.work, { recursive: true, mode: 0o700 });
  // The owner may have deleted these to free space; without them no sandbox would start.
  for (const { source } of machine.shared) mkdirSync(source, { recursive: true, mode: 0o755 });
  writeState(paths, state);
  const launched = await launch(launchers, {
    identity,
    plan: launchPlan({
      tools: machine.tools,
      identity,
      userNamespace: owner.userNamespace,
      architecture: process.arch === 'arm64' ? 'arm64' : 'x64',
      pidFile: paths.pid,
      layersFolder: machine.layout.layers,
      instance: machine.layout.instance,
      mounts: {
        lowers: state.lowers.map((name) => `${name}/fs`),
        upper: `../sandboxes/${spec.id}/upper`,
        work: `../sandboxes/${spec.id}/work`,
        readOnly: spec.readOnly ?? [],
        runtime: [`../runtime/${machine.runtimeName}`, '../runtime/empty'],
        egressFolder: dirname(spec.egressSocket),
        sharedFolders: machine.shared.map(({ source }) => source),
        toolchains: machine.toolchains,
      },
      maxFileBytes: spec.limits.diskMb * 1024 * 1024,
      cgroupFiles: machine.cgroups.create(spec.id, spec.limits),
      insideCommand: insideCommand({
        maxProcesses: machine.cgroups.controllers.has('pids') ? undefined : spec.limits.processes,
        command: SUPERVISOR,
      }),
    }),
    bwrapArguments: bwrapArguments({
      separateRoot,
      hostname: 'sandbox',
      limits: spec.limits,
      hasEgress: true,
      procNames: readableProcNames(),
      extraSystemFolders: machine.extraSystemFolders,
      shared: machine.shared,
      hasToolchains: machine.toolchains !== undefined,
    }),
    socketPath: paths.socket,
    config: {
      listenerFd: FD.listener,
      accessToken: spec.accessToken,
      env: { ...machine.toolchains?.env, ...spec.env },
      toolPath: machine.toolchains?.path ?? [],
      toolLinks: machine.toolchains?.links ?? [],
      separateRoot,
      egressSocket: `${INSIDE.egress}/${basename(spec.egressSocket)}`,
      limits: spec.limits,
    },
    timeoutMs: START_TIMEOUT_MS,
  });
  writeState(paths, {
    ...state,
    run: { bootId: bootId(), monitor: launched.monitor, init: launched.init },
  });
  return launched;
}

let procNames: ReadonlySet<string> | undefined;

/**
 * Files of /proc that are world-readable. The others belong to the host's root, which does not exist inside, so covering
 * them would only slow down every start.
 */
function readableProcNames(): ReadonlySet<string> {
  const OTHERS_READ = 0o004;
  procNames ??= new Set(
    readdirSync('/proc').filter((name) => {
      const mode = statSync(`/proc/${name}`, { throwIfNoEntry: false })?.mode ?? 0;
      return (mode & OTHERS_READ) !== 0;
    }),
  );
  return procNames;
}
