import { spawnSync } from 'node:child_process';
import type { Finding } from '../examine.ts';

/** The kernel, AppArmor or a container may disable namespaces: only running a sandbox shows it. */
const STRICT = [
  '--unshare-all',
  '--disable-userns',
  '--unshare-user',
  '--ro-bind',
  '/usr',
  '/usr',
  '--symlink',
  'usr/lib',
  '/lib',
  '--symlink',
  'usr/lib64',
  '/lib64',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '--',
  '/usr/bin/true',
];

export function checkIsolation(): Finding {
  const check = 'user namespaces';
  const result = spawnSync('bwrap', STRICT, { encoding: 'utf8', timeout: 10_000 });
  if (result.status === 0) return { check, verdict: 'pass', detail: 'a strict sandbox ran' };
  const detail =
    (result.error?.message ?? result.stderr.trim()) ||
    `bwrap ended with ${result.status ?? result.signal}`;
  return { check, verdict: 'fail', detail, remedy: remedyFor(detail) };
}

export function remedyFor(detail: string): string {
  if (detail.includes('ENOENT')) return 'sudo apt-get install -y bubblewrap';
  if (/uid map|Permission denied|Operation not permitted/i.test(detail)) {
    return 'Allow user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1 (on Ubuntu 24.04: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0). Inside Docker they are refused by default: run on the machine itself.';
  }
  return 'Run this to see the error: bwrap --unshare-all --ro-bind / / true';
}
