/** What prepares a repository for work: the setting, its own script, or what its devcontainer runs. First one wins. */
export interface SetupCommand {
  command: string;
  /** What a person has to mend when it fails. */
  source: string;
}

export interface SetupFacts {
  setting: string | null;
  hasOwnScript: boolean;
  /** Text of `devcontainer.json`, which is JSON with comments. */
  devcontainer: string | null;
}

export const SETUP_SCRIPT = '.ship/setup.sh';
export const START_SCRIPT = '.ship/start.sh';

export function chooseSetup({
  setting,
  hasOwnScript,
  devcontainer,
}: SetupFacts): SetupCommand | null {
  if (setting !== null && setting.trim() !== '')
    return { command: setting, source: 'the setup command in Settings' };
  if (hasOwnScript) return { command: `bash ${SETUP_SCRIPT}`, source: SETUP_SCRIPT };
  const command = devcontainer === null ? null : postCreateCommand(devcontainer);
  return command === null
    ? null
    : { command, source: 'postCreateCommand in .devcontainer/devcontainer.json' };
}

/** A line for a shell, the words of one command, or several commands by name; null when there is none. */
export function postCreateCommand(text: string): string | null {
  const found = parse(text);
  if (typeof found !== 'object' || found === null) return null;
  const value: unknown = Object.entries(found).find(([key]) => key === 'postCreateCommand')?.[1];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const lines = Object.values(value).map(line);
    const known = lines.filter((one) => one !== null);
    return known.length === 0 ? null : known.map((one) => `(${one}\n)`).join(' && ');
  }
  return line(value);
}

function line(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (!Array.isArray(value) || value.length === 0) return null;
  if (!value.every((word) => typeof word === 'string')) return null;
  return value.map(quoted).join(' ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(withoutTrailingCommas(withoutComments(text)));
  } catch {
    return null;
  }
}

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"`;

/** What is in quotes stays: an address has two slashes too. */
function withoutComments(text: string): string {
  const pattern = new RegExp(`${STRING}|//[^\\n]*|/\\*[\\s\\S]*?\\*/`, 'g');
  return text.replaceAll(pattern, (found) => (found.startsWith('"') ? found : ' '));
}

function withoutTrailingCommas(text: string): string {
  const pattern = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, 'g');
  return text.replaceAll(pattern, (found) => (found.startsWith('"') ? found : ''));
}
