/** Attacks on the kernel: attempts 8, 9, 13 and 16 of the list. */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORBIDDEN, UNIMPLEMENTED } from '../../src/isolation/seccomp/policy.ts';
import { syscallNumber } from '../../src/isolation/seccomp/syscalls.ts';
import { openAttackHarness, type AttackHarness } from './attack-harness.ts';

let harness: AttackHarness;
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';

beforeAll(async () => {
  harness = await openAttackHarness();
  await harness.start('kernel');
}, 60_000);
afterAll(async () => await harness.end(), 60_000);

describe.each(['user', 'root'] as const)('as %s', (user) => {
  it('8: no mounts', async () => {
    const { output } = await harness.shell(
      'kernel',
      'mount -t tmpfs none /mnt && echo DONE; mount --bind /etc /mnt && echo DONE; umount /tmp && echo DONE; mount -o remount,rw /usr && echo DONE',
      user,
    );
    expect(output).not.toContain('DONE');
  });

  it('8: no namespaces, by any call', async () => {
    const { output } = await harness.python(
      'kernel',
      `
CLONE, UNSHARE, CLONE3, SETNS = ${['clone', 'unshare', 'clone3', 'setns'].map((name) => syscallNumber(name as 'clone', architecture)).join(', ')}
for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x08000000, 0x04000000, 0x02000000, 0x80):
    print('unshare', hex(flag), call(UNSHARE, flag))
    if flag != 0x80: print('clone', hex(flag), call(CLONE, flag | 17, 0, 0, 0, 0))
print('clone3', call(CLONE3, 0, 88))
for name in ('user', 'mnt', 'net', 'pid'):
    try: fd = os.open('/proc/1/ns/' + name, os.O_RDONLY)
    except OSError: fd = os.open('/proc/self/ns/' + name, os.O_RDONLY)
    print('setns', call(SETNS, fd, 0))
`,
      user,
    );
    const lines = output.trim().split('\n');
    expect(lines).toHaveLength(8 + 7 + 1 + 4);
    for (const line of lines) expect(line).toMatch(/ (1|38)$/);
  });

  it('9: only the harmless devices exist, and none can be made', async () => {
    const { output } = await harness.shell(
      'kernel',
      'ls /dev | tr "\\n" " "; mknod /tmp/disk b 254 0 && echo MADE; mknod ~/mem c 1 1 && echo MADE; for d in /dev/mem /dev/kmem /dev/kvm /dev/vda /dev/sda /dev/net/tun /dev/fuse /dev/loop0 /dev/kmsg; do head -c1 $d >/dev/null 2>&1 && echo OPENED $d; done',
      user,
    );
    expect(output).toMatch(/^console|^core|^fd/);
    expect(output.split('\n')[0]?.trim().split(' ')).toEqual(
      expect.arrayContaining([
        'null',
        'zero',
        'full',
        'random',
        'urandom',
        'tty',
        'ptmx',
        'pts',
        'shm',
      ]),
    );
    expect(output).not.toMatch(/MADE|OPENED/);
    expect(output.split('\n')[0]).not.toMatch(/vda|sda|kvm|mem|kmsg|loop|tun|fuse/);
  });

  it('13: /proc/sys and other switches cannot be written, and the host keeps its values', async () => {
    const files = [
      '/proc/sys/kernel/core_pattern',
      '/proc/sys/kernel/hostname',
      '/proc/sys/vm/overcommit_memory',
      '/proc/sys/kernel/modprobe',
    ];
    const kept = files.filter((file) => existsSync(file));
    const before = kept.map((file) => readFileSync(file, 'utf8'));
    const { output } = await harness.shell(
      'kernel',
      `for f in ${files.join(' ')} /proc/sysrq-trigger /proc/sys/net/ipv4/ip_forward /proc/sys/user/max_user_namespaces /sys/kernel/uevent_helper /proc/irq/default_smp_affinity; do (echo 1 > $f) 2>/dev/null && echo WROTE $f; done`,
      user,
    );
    expect(output).not.toContain('WROTE');
    expect(kept.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });

  it('16: the filter refuses every call that it names', async () => {
    const names = [...FORBIDDEN, ...UNIMPLEMENTED];
    const numbers = names.flatMap((name) => syscallNumber(name, architecture) ?? []);
    const { output } = await harness.python(
      'kernel',
      `print([call(n, 0, 0, 0, 0, 0, 0) for n in [${numbers.join(', ')}]])`,
      user,
    );
    const errors = JSON.parse(output) as number[];
    expect(errors).toHaveLength(numbers.length);
    expect(new Set(errors)).toEqual(new Set([1, 38]));
  });

  it('16: no sockets to virtual machines, crypto, packets or netlink beyond addresses', async () => {
    const { output } = await harness.python(
      'kernel',
      `
for family, kind, protocol in ((40, 1, 0), (38, 5, 0), (17, 3, 0), (16, 3, 12), (16, 3, 6), (29, 3, 1), (31, 1, 0), (2, 3, 1)):
    try:
        socket.socket(family, kind, protocol); print('OPENED', family, protocol)
    except OSError as error:
        print('refused', family, error.errno)
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); socket.socket(socket.AF_INET, socket.SOCK_STREAM)
print('usual sockets work')
`,
      user,
    );
    expect(output).not.toContain('OPENED');
    expect(output).toContain('usual sockets work');
  });
});
