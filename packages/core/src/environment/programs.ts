/** Programs of the sandbox by name, with the version where it was asked for; null when no sandbox was asked. */
export type Programs = Readonly<Record<string, string>> | null;

/** Looked up in the sandbox, by name only: that costs no process. */
export const PROBED_PROGRAMS = [
  'node',
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'python3',
  'uv',
  'poetry',
  'pipenv',
  'go',
  'cargo',
  'rustup',
  'ruby',
  'bundle',
  'php',
  'composer',
  'java',
  'mvn',
  'gradle',
  'make',
] as const;

/** One program per line: its name, and behind a space what it says of its version. */
export function readPrograms(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [name = '', ...rest] = line.trim().split(' ');
    if (!/^[\w-]{1,50}$/.test(name)) continue;
    const version = /\d+(\.\d+)*/.exec(rest.join(' '))?.[0] ?? '';
    if (found[name] === undefined || version !== '') found[name] = version;
  }
  return found;
}

/** Without a sandbox every program counts as present: the plan then shows what the repository asks for. */
export function isPresent(programs: Programs, name: string): boolean {
  return programs === null || Object.hasOwn(programs, name);
}
