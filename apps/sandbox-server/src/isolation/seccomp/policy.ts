/**
 * The system calls that a sandbox may not make. All others are allowed: an allow-list would break the next
 * compiler or runtime, while the calls below have led to kernel escapes or reach past the
 * namespaces. Node, git, Python, npm and Bun (OpenCode) run unchanged under it.
 */
import {
  ALLOW,
  KILL_PROCESS,
  OFFSET_ARCHITECTURE,
  OFFSET_NUMBER,
  and,
  assemble,
  failWith,
  load,
  offsetOfArgument,
  ret,
  unlessOneOf,
  when,
  type Instruction,
} from './bpf.ts';
import {
  AUDIT_ARCH,
  X32_SYSCALL_BIT,
  syscallNumber,
  type Architecture,
  type SyscallName,
} from './syscalls.ts';

const EPERM = 1;
const ENOSYS = 38;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;

/** Always refused with EPERM. */
export const FORBIDDEN: readonly SyscallName[] = [
  // Mounts and roots: the sandbox must not change its file system layout.
  ...(['mount', 'umount2', 'pivot_root', 'chroot', 'move_mount', 'open_tree'] as const),
  ...(['open_tree_attr', 'fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr'] as const),
  // Entering another namespace. Creating one is checked by flags below.
  'setns',
  // File handles name files by inode and bypass every path check.
  ...(['open_by_handle_at', 'name_to_handle_at'] as const),
  // Kernel keyrings are not namespaced by pid or mount: a sandbox could read its owner's keys.
  ...(['keyctl', 'add_key', 'request_key'] as const),
  // Other processes' memory and descriptors. With one mapped uid the supervisor itself would be a target.
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd'] as const),
  // Kernel code and state.
  ...(['bpf', 'perf_event_open', 'userfaultfd', 'fanotify_init', 'memfd_secret'] as const),
  ...(['init_module', 'finit_module', 'delete_module', 'kexec_load', 'kexec_file_load'] as const),
  ...(['reboot', 'swapon', 'swapoff', 'acct', 'quotactl', 'quotactl_fd', 'syslog'] as const),
  ...(['iopl', 'ioperm', 'modify_ldt', 'uselib', 'ustat', 'vhangup', 'lookup_dcookie'] as const),
  ...(['settimeofday', 'clock_settime', 'clock_adjtime', 'adjtimex'] as const),
  ...(['mbind', 'set_mempolicy', 'move_pages', 'migrate_pages'] as const),
];

/** Refused with ENOSYS, so that callers fall back to an older call instead of failing. */
export const UNIMPLEMENTED: readonly SyscallName[] = [
  // Its flags are behind a pointer that a filter cannot read; glibc then uses `clone`, whose flags are checked.
  'clone3',
  ...(['io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const),
  ...(['statmount', 'listmount'] as const),
];

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACE = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x60000000;
/** CLONE_NEWTIME shares its bit with the exit signal of `clone`, so only `unshare` takes it as a flag. */
const NEW_TIME = 0x00000080;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
/** Queries such as getifaddrs; netfilter, audit and crypto sit behind the other netlink protocols. */
const NETLINK_ROUTE = 0;

/** TIOCSTI injects input into a terminal; TIOCLINUX pastes on a console. */
const FORBIDDEN_IOCTLS = [0x5412, 0x541c];
/** PER_LINUX and PER_LINUX32, with and without UNAME26, and the query. */
const PERSONALITIES = [0, 8, 0x20000, 0x20008, 0xffffffff];

/** FALLOC_FL_PUNCH_HOLE and FALLOC_FL_COLLAPSE_RANGE: the modes of `fallocate` that free space. */
const FREES_SPACE = 0x02 | 0x08;

const refuse = (errno: number): Instruction[] => [ret(failWith(errno))];

export function policy(architecture: Architecture): Instruction[] {
  const call = (name: SyscallName, body: Instruction[]): Instruction[] => {
    const number = syscallNumber(name, architecture);
    return number === null ? [] : when('equal', number, body);
  };
  return [
    load(OFFSET_ARCHITECTURE),
    ...unlessOneOf([AUDIT_ARCH[architecture]], [ret(KILL_PROCESS)]),
    load(OFFSET_NUMBER),
    ...(architecture === 'x64' ? when('greater-or-equal', X32_SYSCALL_BIT, refuse(ENOSYS)) : []),
    ...FORBIDDEN.flatMap((name) => call(name, refuse(EPERM))),
    ...UNIMPLEMENTED.flatMap((name) => call(name, refuse(ENOSYS))),
    ...call('clone', [
      load(offsetOfArgument(0)),
      ...when('any-bit', NEW_NAMESPACE, refuse(EPERM)),
      ret(ALLOW),
    ]),
    ...call('unshare', [
      load(offsetOfArgument(0)),
      ...when('any-bit', NEW_NAMESPACE | NEW_TIME, refuse(EPERM)),
      ret(ALLOW),
    ]),
    ...call('socket', socketFamilies(refuse(EAFNOSUPPORT))),
    ...call('ioctl', [
      load(offsetOfArgument(1)),
      ...FORBIDDEN_IOCTLS.flatMap((request) => when('equal', request, refuse(EPERM))),
      ret(ALLOW),
    ]),
    // It allocates any amount of disk faster than the watchdog can measure. Callers write instead, as on file systems
    // without it; glibc's posix_fallocate does so automatically.
    ...call('fallocate', [
      load(offsetOfArgument(1)),
      ...when('any-bit', FREES_SPACE, [ret(ALLOW)]),
      ...refuse(EOPNOTSUPP),
    ]),
    ...call('personality', [
      load(offsetOfArgument(0)),
      ...unlessOneOf(PERSONALITIES, refuse(EPERM)),
      ret(ALLOW),
    ]),
    ret(ALLOW),
  ];
}

function socketFamilies(refusal: Instruction[]): Instruction[] {
  return [
    load(offsetOfArgument(0)),
    // The kernel reads the family as a 32-bit int and ignores the upper word.
    and(0xffffffff),
    ...when('equal', AF_NETLINK, [
      load(offsetOfArgument(2)),
      ...unlessOneOf([NETLINK_ROUTE], refusal),
      ret(ALLOW),
    ]),
    ...unlessOneOf([AF_UNIX, AF_INET, AF_INET6], refusal),
    ret(ALLOW),
  ];
}

export function seccompProgram(architecture: Architecture): Buffer {
  return assemble(policy(architecture));
}
