/** Where `npm -g` and `pip --user`, pnpm, yarn, cargo, go and bun install a user's programs. */
const INSTALLED = [
  ...(['.local/bin', '.local/share/pnpm', '.yarn/bin'] as const),
  ...(['.cargo/bin', 'go/bin', '.bun/bin'] as const),
];
const TEMPLATE = ['/usr/local/sbin', '/usr/local/bin'];
const SYSTEM = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * PATH of a user: the user's installs, the template's programs, the machine's toolchains, the system. A toolchain
 * that was installed in addition to the system's is newer on purpose; none may override a program of the template.
 */
export function searchPath(home: string, toolPath: readonly string[] = []): string {
  const installed = INSTALLED.map((folder) => `${home}/${folder}`);
  return [...installed, ...TEMPLATE, ...toolPath, ...SYSTEM].join(':');
}
