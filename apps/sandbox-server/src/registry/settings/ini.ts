/** The common subset of npmrc, pip.conf and go's env file: `key = value` lines, sections, comments. Pure. */
export interface IniLine {
  section: string;
  key: string;
  value: string;
}

export function parseIni(text: string): IniLine[] {
  const lines: IniLine[] = [];
  let section = '';
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const header = /^\[([^\]]*)\]$/.exec(line);
    const last = lines.at(-1);
    if (header !== null) section = (header[1] ?? '').trim().toLowerCase();
    // pip: an indented line continues the previous value.
    else if (
      /^\s/.test(raw) &&
      last !== undefined &&
      last.section === section &&
      !line.includes('=')
    )
      last.value = `${last.value} ${line}`.trim();
    else {
      const equals = line.indexOf('=');
      const key = (equals === -1 ? line : line.slice(0, equals)).trim();
      const value = equals === -1 ? 'true' : line.slice(equals + 1).trim();
      lines.push({ section, key, value: unquote(value) });
    }
  }
  return lines;
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return quoted === null ? value : (quoted[2] ?? '');
}
