/** Versions of the sandbox's programs by name, empty when not looked up; null when no sandbox was checked. */
export type Programs = Readonly<Record<string, string>> | null;

/** Looked up in the sandbox by name only, without starting a process. */
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

/** Parses one program per line: its name, a space, and its version output. */
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
