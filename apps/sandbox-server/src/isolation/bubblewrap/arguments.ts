/**
 * bubblewrap's arguments for one sandbox. They go through a file descriptor, so /proc/1/cmdline inside shows none of
 * them, and they name neutral paths only.
 */
import { INSIDE_TOOLCHAINS } from '../../toolchains/types.ts';
import type { Limits, SharedFolder } from '../backend.ts';

/** Descriptors that the launcher passes on. */
export const FD = {
  plan: 0,
  args: 3,
  seccomp: 4,
  door: 5,
  config: 6,
  block: 7,
  helper: 8,
} as const;

/** Where the launcher puts together what bubblewrap then binds; a folder that every Debian has, covered by a tmpfs. */
export const STAGE = '/mnt';
export const STAGED = {
  root: `${STAGE}/root`,
  runtime: `${STAGE}/runtime`,
  egress: `${STAGE}/egress`,
  toolchains: `${STAGE}/toolchains`,
} as const;

/** The launcher counts them in the same order. */
const stagedShared = (index: number): string => `${STAGE}/shared${index}`;

/** Inside: the supervisor's own folder and the folder of the socket that leads out. */
export const INSIDE = { runtime: '/opt/envd', egress: '/run/egress' } as const;

/**
 * Node flags of every supervisor, also of the one whose compiled code is kept. SIGUSR1 would open Node's inspector, which runs
 * any code that a client sends as the supervisor; its environment is empty, so that no NODE_OPTIONS takes this back.
 */
export const SUPERVISOR_FLAGS = ['--disable-sigusr1', '--no-warnings'] as const;

/**
 * What `root` inside keeps of root's powers, all confined to the sandbox's own user namespace: enough for package
 * scripts, chown and low ports; nothing that mounts, traces, loads or configures.
 */
const ROOT_CAPABILITIES = [
  ...(['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID'] as const),
  ...(['CAP_KILL', 'CAP_SETGID', 'CAP_SETUID', 'CAP_NET_BIND_SERVICE'] as const),
];

/** Parts of /proc that tell about the host or act on it. Files are covered by /dev/null, folders by nothing. */
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
  /** Which of the masked names this kernel has; bubblewrap fails on a missing target. */
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
    // The host's programs and libraries, read-only. /usr/local is the template's: the host's may hold anything.
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
    // With all that is mounted below it, read-only too.
    input.hasToolchains === true ? ['--ro-bind', STAGED.toolchains, INSIDE_TOOLCHAINS] : [],
    ['--ro-bind', STAGED.runtime, INSIDE.runtime],
    ['--chdir', '/', '--clearenv', '--seccomp', String(FD.seccomp)],
  ].flat();
}

export interface CommandInput {
  /** Set where no pids cgroup holds the line: a limit of the uid inside this one user namespace. */
  maxProcesses: number | undefined;
  command: readonly string[];
}

/** What bubblewrap runs inside. It takes no command through a descriptor, so this much is visible in /proc/1/cmdline. */
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
  // bubblewrap 0.8 refuses --disable-userns together with a map that is written from outside; the launcher sets the
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
