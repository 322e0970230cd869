/** The programs that the host needs, and the Debian package that provides each. Set-up and doctor use the same list. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Debian package → a command that proves it is installed. */
const HOST_PACKAGES = {
  bubblewrap: 'bwrap',
  'util-linux': 'unshare',
  dash: 'sh',
  'perl-base': 'perl',
  coreutils: 'cp',
  bash: 'bash',
  git: 'git',
  curl: 'curl',
  python3: 'python3',
  ripgrep: 'rg',
  'ca-certificates': 'update-ca-certificates',
} as const satisfies Record<string, string>;

/** System folders only: a `python3` from a home folder would not exist inside a sandbox. */
const SYSTEM_PATH = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

export function findTool(
  command: string,
  folders: readonly string[] = SYSTEM_PATH,
): string | undefined {
  for (const folder of folders) {
    const path = join(folder, command);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

export interface HostTools {
  bwrap: string;
  unshare: string;
  nsenter: string;
  perl: string;
  sh: string;
  cp: string;
  mv: string;
  rm: string;
  chown: string;
  du: string;
  /** From Debian's `uidmap`; empty when it is not installed: sandboxes then have one id inside. */
  newuidmap: string;
  newgidmap: string;
}

export function missingPackages(find: typeof findTool = findTool): string[] {
  return Object.entries(HOST_PACKAGES)
    .filter(([, command]) => find(command) === undefined)
    .map(([name]) => name);
}

/** The launcher's tools. A missing one keeps its usual path: the probe reports it before anything starts. */
export function findHostTools(find: typeof findTool = findTool): HostTools {
  const path = (name: string) => find(name) ?? `/usr/bin/${name}`;
  return {
    bwrap: path('bwrap'),
    unshare: path('unshare'),
    nsenter: path('nsenter'),
    perl: path('perl'),
    sh: path('sh'),
    cp: path('cp'),
    mv: path('mv'),
    rm: path('rm'),
    chown: path('chown'),
    du: path('du'),
    newuidmap: find('newuidmap') ?? '',
    newgidmap: find('newgidmap') ?? '',
  };
}
