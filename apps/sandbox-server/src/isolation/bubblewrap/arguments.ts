/**
 * bubblewrap's arguments for one sandbox. They are passed through a file descriptor, so /proc/1/cmdline inside shows none
 * of them, and they name neutral paths only.
 */
import { INSIDE_TOOLCHAINS } from '../../toolchains/types.ts';
import type { Limits, SharedFolder } from '../backend.ts';

/** File descriptors that the launcher passes on. */
export const FD = {
  plan: 0,
  args: 3,
  seccomp: 4,
  listener: 5,
  config: 6,
  block: 7,
  helper: 8,
} as const;

/** Where the launcher assembles the mounts that bubblewrap then binds; a folder that every Debian has, covered by a tmpfs. */
export const STAGE = '/mnt';
export const STAGED = {
  root: `${STAGE}/root`,
  runtime: `${STAGE}/runtime`,
  egress: `${STAGE}/egress`,
  toolchains: `${STAGE}/toolchains`,
} as const;

/** The launcher numbers them in the same order. */
const stagedShared = (index: number): string => `${STAGE}/shared${index}`;

/** Inside: the supervisor's folder and the folder of the egress socket. */
export const INSIDE = { runtime: '/opt/envd', egress: '/run/egress' } as const;

/**
 * Node flags of every supervisor, also when building the code cache. SIGUSR1 would open Node's inspector, which runs
 * any code that a client sends as the supervisor; its environment is empty, so no NODE_OPTIONS can undo this.
 */
export const SUPERVISOR_FLAGS = ['--disable-sigusr1', '--no-warnings'] as const;

/**
 * Capabilities of `root` inside, all confined to the sandbox's user namespace: enough for package
 * scripts, chown and low ports; nothing that mounts, traces, loads or configures.
 */
const ROOT_CAPABILITIES = [
  ...(['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID'] as const),
  ...(['CAP_KILL', 'CAP_SETGID', 'CAP_SETUID', 'CAP_NET_BIND_SERVICE'] as const),
];

/** Entries of /proc that reveal or control the host. Files are covered by /dev/null, folders by an empty tmpfs. */
const MASKED_PROC_FILES = [
  ...(['cmdline', 'config.gz', 'kallsyms', 'kcore', 'key-users', 'keys', 'kmsg'] as const),
  ...(['kpagecgroup', 'kpagecount', 'kpageflags', 'modules', 'sched_debug'] as const),
  ...(['slabinfo', 'timer_list', 'vmallocinfo', 'partitions', 'diskstats'] as const),
  ...(['interrupts', 'iomem', 'ioports', 'locks', 'mtrr'] as const),
];
const MASKED_PROC_FOLDERS = ['acpi', 'asound', 'driver', 'fs', 'scsi'];

export interface ProfileInput {
  /** False when `root` and `user` are one id inside. */
  separateRoot: boolean;
  hostname: string;
  limits: Limits;
  /** Absent for the probe, which has no server to talk to. */
  hasEgress: boolean;
  /** The masked names that this kernel has; bubblewrap fails on a missing target. */
  procNames: ReadonlySet<string>;
  /** Folders of the host that a merged /usr does not cover (an old layout), bound read-only. */
  extraSystemFolders: readonly string[];
  shared: readonly Pick<SharedFolder, 'target'>[];
  hasToolchains?: boolean;
}

const MEGABYTE = 1024 * 1024;

export function bwrapArguments(input: ProfileInput): string[] {
  const usrLocal = `${STAGED.root}/usr/local`;
  return [
    identityArguments(input.separateRoot),
    ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup'],
    ['--hostname', input.hostname, '--new-session'],
    ['--bind', STAGED.root, '/'],
    // The host's programs and libraries, read-only. /usr/local comes from the template: the host's may hold anything.
    ['--ro-bind', '/usr', '/usr', '--bind', usrLocal, '/usr/local'],
    input.extraSystemFolders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ['--proc', '/proc'],
    maskedProc(input.procNames),
    ['--dev', '/dev'],
    sizedTmpfs('/dev/shm', input.limits.memoryMb / 4),
    ['--remount-ro', '/dev'],
    sizedTmpfs('/tmp', input.limits.memoryMb / 2),
    sizedTmpfs('/run', 64),
    ['--perms', '0755', '--dir', '/run/lock'],
    input.hasEgress ? ['--ro-bind', STAGED.egress, INSIDE.egress] : [],
    input.shared.flatMap(({ target }, index) => ['--ro-bind', stagedShared(index), target]),
    // Includes all mounts below it, read-only too.
    input.hasToolchains === true ? ['--ro-bind', STAGED.toolchains, INSIDE_TOOLCHAINS] : [],
    ['--ro-bind', STAGED.runtime, INSIDE.runtime],
    ['--chdir', '/', '--clearenv', '--seccomp', String(FD.seccomp)],
  ].flat();
}

export interface CommandInput {
  /** Set where there is no pids cgroup: an rlimit of the uid inside this user namespace. */
  maxProcesses: number | undefined;
  command: readonly string[];
}

/** The command inside. bubblewrap takes no command through a descriptor, so /proc/1/cmdline shows this much. */
export function insideCommand(input: CommandInput): string[] {
  return [
    ...(input.maxProcesses === undefined
      ? []
      : ['/usr/bin/prlimit', `--nproc=${input.maxProcesses}:${input.maxProcesses}`, '--']),
    ...input.command,
  ];
}

function identityArguments(separateRoot: boolean): string[] {
  if (!separateRoot) {
    return ['--unshare-user', '--uid', '1000', '--gid', '1000', '--disable-userns'];
  }
  // bubblewrap 0.8 refuses --disable-userns together with an id map written from outside; the launcher sets the
  // same limit on the namespace itself.
  const capabilities = ROOT_CAPABILITIES.flatMap((capability) => ['--cap-add', capability]);
  return ['--unshare-user', '--userns-block-fd', String(FD.block), ...capabilities];
}

function sizedTmpfs(path: string, megabytes: number): string[] {
  const bytes = Math.max(16, Math.round(megabytes)) * MEGABYTE;
  return ['--perms', '1777', '--size', String(bytes), '--tmpfs', path];
}

function maskedProc(present: ReadonlySet<string>): string[] {
  const files = MASKED_PROC_FILES.filter((name) => present.has(name));
  const folders = MASKED_PROC_FOLDERS.filter((name) => present.has(name));
  return [
    ...files.flatMap((name) => ['--ro-bind', '/dev/null', `/proc/${name}`]),
    ...folders.flatMap((name) => ['--tmpfs', `/proc/${name}`, '--remount-ro', `/proc/${name}`]),
  ];
}
