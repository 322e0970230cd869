/**
 * The steps before bubblewrap, as launch.pl reads them from its input: join the cgroups, assemble the layers in a mount
 * namespace that dies with the sandbox, drop root.
 */
import { fileURLToPath } from 'node:url';
import { syscallNumber, type Architecture, type SyscallName } from '../seccomp/syscalls.ts';
import type { ToolchainMounts } from '../backend.ts';
import { FD, STAGE } from './arguments.ts';
import type { HostTools } from './host-tools.ts';
import type { Identity } from './identity.ts';

export const LAUNCHER = fileURLToPath(new URL('launch.pl', import.meta.url));

const NEW_MOUNTS = 0x00020000;
const NEW_USERS = 0x10000000;
const CALLS: readonly SyscallName[] = [
  'unshare',
  'setns',
  'mount',
  'prlimit64',
  'setgroups',
  'setresgid',
  'setresuid',
];

export interface MountPlan {
  /** Top first, relative to the layers folder: the options are readable inside, so they must not name host folders. */
  lowers: readonly string[];
  upper: string;
  work: string;
  /** Folders inside that even `root` may not change: file ownership alone does not protect data that sessions share. */
  readOnly: readonly string[];
  /** Relative to the layers folder as well. */
  runtime: readonly [string, string];
  egressFolder: string | undefined;
  sharedFolders: readonly string[];
  toolchains?: Pick<ToolchainMounts, 'base' | 'mounts'> | undefined;
}

/** mount(2) takes one page of options. */
const MAX_OPTIONS_BYTES = 4000;

/** user.overlay.* attributes work for root and for an ordinary user, so layers can move between both. */
export function rootOptions(plan: MountPlan): string {
  const options = `lowerdir=${plan.lowers.join(':')},upperdir=${plan.upper},workdir=${plan.work},userxattr`;
  if (Buffer.byteLength(options) <= MAX_OPTIONS_BYTES) return options;
  throw new Error(
    `${plan.lowers.length} stacked snapshots exceed the limit of one mount; start from an earlier snapshot or from the template`,
  );
}

export interface LaunchPlan {
  tools: HostTools;
  identity: Identity;
  /** Path by which the launcher enters the namespace of subordinate ids; undefined for root and for a single id. */
  userNamespace: string | undefined;
  architecture: Architecture;
  pidFile: string;
  layersFolder: string;
  /** Becomes the source of the root mount, which tells the data folder of a process's sandbox. */
  instance: string;
  mounts: MountPlan;
  /** Files through which the launcher joins its cgroups: one per controller. */
  cgroupFiles: readonly string[];
  insideCommand: readonly string[];
  maxFileBytes: number;
}

export function launchPlan(plan: LaunchPlan): string[] {
  const { identity, mounts, tools } = plan;
  const isSingle = identity.mode === 'single';
  const values: Array<[name: string, value: string | number]> = [
    ['pid', plan.pidFile],
    ['layers', plan.layersFolder],
    ['stage', STAGE],
    ['namespaces', isSingle ? NEW_MOUNTS | NEW_USERS : NEW_MOUNTS],
    ['instance', plan.instance],
    ['root', rootOptions(mounts)],
    ['upper', mounts.upper],
    ['runtime', `lowerdir=${mounts.runtime.join(':')},userxattr`],
    ['fsize', plan.maxFileBytes],
    ['helper', FD.helper],
    ...(mounts.egressFolder === undefined
      ? []
      : [['egress', mounts.egressFolder] as [string, string]]),
    ...(isSingle
      ? []
      : ([
          ['creator', identity.creatorUid],
          ['owner', identity.rootUid],
          ['idmap', identity.idMap],
        ] as [string, string | number][])),
    ...(plan.userNamespace === undefined
      ? []
      : [['users', plan.userNamespace] as [string, string]]),
    ...mounts.readOnly.map((folder): [string, string] => ['readonly', folder]),
    ...mounts.sharedFolders.map((folder): [string, string] => ['shared', folder]),
    ...(mounts.toolchains === undefined
      ? []
      : [['tools', mounts.toolchains.base] as [string, string]]),
    ...(mounts.toolchains?.mounts ?? []).map(({ from, to }): [string, string] => [
      'tool',
      `${to}=${from}`,
    ]),
    ...plan.cgroupFiles.map((file): [string, string] => ['cgroup', file]),
    ...CALLS.map((name): [string, number] => [
      `sys.${name}`,
      syscallNumber(name, plan.architecture) ?? -1,
    ]),
  ];
  const bwrap = [tools.bwrap, '--args', String(FD.args), '--', ...plan.insideCommand];
  return [...values.map(([name, value]) => `${name}=${value}`), '--', ...bwrap];
}
