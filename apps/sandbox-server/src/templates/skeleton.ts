/**
 * The generated part of every template's root: what a system needs around the host's read-only /usr, and nothing else of
 * the host. Visible of the host: /usr (programs, libraries, shared data) except /usr/local, and copies of the few
 * files of /etc that programs in /usr require: certificates, the linker's cache, alternatives, time zone,
 * protocol names. Not visible: /home, /root, /opt, /srv, /var, /boot, the rest of /etc (passwords, host keys, machine
 * id, hostnames, package manager credentials), and /usr/local, where machines keep their own scripts.
 */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDERS = [
  ...([
    'dev',
    'etc',
    'home/user',
    'media',
    'mnt',
    'opt/envd',
    'proc',
    'root',
    'run',
    'srv',
    'sys',
    'tmp',
  ] as const),
  ...([
    'usr/local/bin',
    'usr/local/etc',
    'usr/local/lib',
    'usr/local/share',
    'usr/local/sbin',
  ] as const),
  ...(['var/cache', 'var/lib', 'var/log', 'var/spool', 'var/tmp', 'var/mail'] as const),
];

/** Copied from the host when they exist; links are copied as links, except certificates, which point out of /etc. */
const COPIED = [
  ...([
    'alternatives',
    'bash.bashrc',
    'ca-certificates.conf',
    'debian_version',
    'ethertypes',
    'gai.conf',
  ] as const),
  ...([
    'host.conf',
    'inputrc',
    'ld.so.cache',
    'ld.so.conf',
    'ld.so.conf.d',
    'locale.alias',
  ] as const),
  ...([
    'locale.gen',
    'localtime',
    'magic',
    'mime.types',
    'networks',
    'os-release',
    'perl',
    'protocols',
  ] as const),
  ...([
    'python3',
    'python3.11',
    'python3.12',
    'python3.13',
    'rpc',
    'services',
    'shells',
    'skel',
  ] as const),
  ...(['terminfo', 'timezone', 'vim'] as const),
];
/** Debian's Java and Maven keep settings in /etc. Maven's settings.xml is excluded: it may contain passwords. */
const COPIED_PATTERNS = [/^java-\d+-openjdk$/];
const COPIED_IF_PRESENT = ['maven/m2.conf', 'maven/logging'];
const COPIED_FOLLOWING_LINKS = ['ssl/certs', 'ssl/openssl.cnf', 'pki/tls/certs'];

const PASSWD = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
bin:x:2:2:bin:/bin:/usr/sbin/nologin
sys:x:3:3:sys:/dev:/usr/sbin/nologin
man:x:6:12:man:/var/cache/man:/usr/sbin/nologin
mail:x:8:8:mail:/var/mail:/usr/sbin/nologin
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
_apt:x:100:65534::/nonexistent:/usr/sbin/nologin
user:x:1000:1000::/home/user:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
`;

const GROUP = `root:x:0:
daemon:x:1:
bin:x:2:
sys:x:3:
adm:x:4:
tty:x:5:
disk:x:6:
mail:x:8:
man:x:12:
sudo:x:27:user
www-data:x:33:
shadow:x:42:
utmp:x:43:
video:x:44:
staff:x:50:
users:x:100:
user:x:1000:
nogroup:x:65534:
`;

/** Debian's own profile starts `id` for every login shell; each command is a login shell with a budget of milliseconds. */
const PROFILE = `# A login shell's environment. No program is started here: every command pays for it.
if [ -z "$PATH" ]; then PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; fi
export PATH
if [ -n "$PS1" ] && [ -n "$BASH" ] && [ "$BASH" != /bin/sh ] && [ -f /etc/bash.bashrc ]; then . /etc/bash.bashrc; fi
for ship_profile in /etc/profile.d/*.sh; do [ -r "$ship_profile" ] && . "$ship_profile"; done
unset ship_profile
`;

const GENERATED: Record<string, string> = {
  'etc/passwd': PASSWD,
  'etc/group': GROUP,
  'etc/profile': PROFILE,
  'etc/hostname': 'sandbox\n',
  'etc/hosts': '127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost ip6-loopback\n',
  // The egress proxy resolves names; a loopback resolver that nothing serves fails immediately instead of hanging.
  'etc/resolv.conf': 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n',
  'etc/nsswitch.conf':
    'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\nprotocols: files\n',
  'etc/environment': 'PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"\n',
  'etc/fstab': '',
  'etc/mtab': '',
  'etc/profile.d/.keep': '',
};

/** On a merged system, `/bin` and the others are links into /usr; the back end binds real folders, read-only. */
const SYSTEM_LINKS = ['bin', 'lib', 'lib32', 'lib64', 'libx32', 'sbin'];

export interface SystemFolders {
  links: Array<{ name: string; target: string }>;
  real: string[];
}

const isLink = (name: string): boolean => lstatSync(`/${name}`).isSymbolicLink();

export function hostSystemFolders(): SystemFolders {
  const present = SYSTEM_LINKS.filter((name) => existsSync(`/${name}`));
  return {
    links: present.filter(isLink).map((name) => ({ name, target: readlinkSync(`/${name}`) })),
    real: present.filter((name) => !isLink(name)).map((name) => `/${name}`),
  };
}

export function writeSkeleton(root: string): void {
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true, mode: 0o755 });
  const { links, real } = hostSystemFolders();
  for (const { name, target } of links) symlinkSync(target, join(root, name));
  for (const folder of real) mkdirSync(join(root, folder), { recursive: true });
  for (const name of COPIED) copyFromEtc(root, name, false);
  for (const name of readdirSync('/etc'))
    if (COPIED_PATTERNS.some((pattern) => pattern.test(name))) copyFromEtc(root, name, false);
  for (const name of COPIED_IF_PRESENT) copyFromEtc(root, name, false);
  for (const name of COPIED_FOLLOWING_LINKS) copyFromEtc(root, name, true);
  for (const [path, text] of Object.entries(GENERATED)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o644 });
  }
}

function copyFromEtc(root: string, name: string, dereference: boolean): void {
  const source = join('/etc', name);
  if (!existsSync(source)) return;
  cpSync(source, join(root, 'etc', name), {
    recursive: true,
    dereference,
    verbatimSymlinks: !dereference,
  });
}
