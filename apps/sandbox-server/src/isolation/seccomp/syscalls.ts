/**
 * Numbers of the system calls that the policy and the launcher name, per architecture. A call that an architecture lacks is
 * absent from its column (arm64 never had `iopl`), so the policy can name it for both.
 */
export type Architecture = 'x64' | 'arm64';

/** `AUDIT_ARCH_*`: what the kernel puts into `seccomp_data.arch`. */
export const AUDIT_ARCH: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Every x32 call has this bit: the same calls under other numbers, which would bypass a list of numbers. */
export const X32_SYSCALL_BIT = 0x40000000;

/** name → [x64, arm64]; `null` where the call does not exist. */
const NUMBERS = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  delete_module: [176, 106],
  fallocate: [285, 47],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  listmount: [458, 458],
  lookup_dcookie: [212, 18],
  mbind: [237, 235],
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  modify_ldt: [154, null],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  prlimit64: [302, 261],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  set_mempolicy: [238, 237],
  setgroups: [116, 159],
  setns: [308, 268],
  setresgid: [119, 149],
  setresuid: [117, 147],
  settimeofday: [164, 170],
  socket: [41, 198],
  statmount: [457, 457],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  uselib: [134, null],
  ustat: [136, null],
  vhangup: [153, 58],
} as const satisfies Record<string, readonly [number, number | null]>;

export type SyscallName = keyof typeof NUMBERS;

export function syscallNumber(name: SyscallName, architecture: Architecture): number | null {
  const [x64, arm64] = NUMBERS[name];
  return architecture === 'x64' ? x64 : arm64;
}
