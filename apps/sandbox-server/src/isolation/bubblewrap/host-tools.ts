/** The programs that the host must have, and the Debian package that brings each. Set-up and doctor use the same list. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Debian package → the command that proves it is there. */
export const HOST_PACKAGES = {
  bubblewrap: 'bwrap',
  'util-linux': 'unshare',
  mount: 'mount',
  dash: 'sh',
  coreutils: 'cp',
  bash: 'bash',
  git: 'git',
  curl: 'curl',
  python3: 'python3',
  ripgrep: 'rg',
  'ca-certificates': 'update-ca-certificates',
} as const satisfies Record<string, string>;

/** Only the system's own folders: a `python3` from someone's home folder would not exist inside a sandbox. */
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
  setpriv: string;
  mount: string;
  sh: string;
  cp: string;
  du: string;
}

export function missingPackages(find: typeof findTool = findTool): string[] {
  return Object.entries(HOST_PACKAGES)
    .filter(([, command]) => find(command) === undefined)
    .map(([name]) => name);
}

/** The launcher's tools, or the names of those that are missing. */
export function findHostTools(find: typeof findTool = findTool): HostTools | { missing: string[] } {
  const names = ['bwrap', 'unshare', 'nsenter', 'setpriv', 'mount', 'sh', 'cp', 'du'] as const;
  const found = names.map((name) => [name, find(name)] as const);
  const missing = found.filter(([, path]) => path === undefined).map(([name]) => name);
  if (missing.length > 0) return { missing: [...missing] };
  return Object.fromEntries(found) as unknown as HostTools;
}
