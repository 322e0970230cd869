/** Parses and formats the text fields of an MCP server. */

export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

const WORD = /"([^"]*)"|'([^']*)'|([^\s"']+)/g;

/** Splits a command into words by shell quoting rules, without expansions. */
export function readCommand(text: string): Read<string[]> {
  const rest = text.replace(WORD, '');
  if (/["']/.test(rest)) return { ok: false, problem: 'A quotation mark is missing.' };
  const words: string[] = [];
  let end = -1;
  for (const match of text.matchAll(WORD)) {
    const word = match[1] ?? match[2] ?? match[3] ?? '';
    // Adjacent pieces form one word: --name="two words".
    if (match.index === end) words.push((words.pop() ?? '') + word);
    else words.push(word);
    end = match.index + match[0].length;
  }
  return words.length === 0
    ? { ok: false, problem: 'Enter a command.' }
    : { ok: true, value: words };
}

export const writeCommand = (words: readonly string[]): string => words.map(quoted).join(' ');

function quoted(word: string): string {
  if (/^[^\s"']+$/.test(word)) return word;
  return word.includes('"') ? `'${word}'` : `"${word}"`;
}

/** One `name SEPARATOR value` per line. */
export function readPairs(text: string, separator: '=' | ':'): Read<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const at = line.indexOf(separator);
    if (at < 1)
      return { ok: false, problem: `“${line.trim()}” must look like name${separator} value.` };
    pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return { ok: true, value: pairs };
}

export const writePairs = (pairs: Readonly<Record<string, string>>, separator: '=' | ':') =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}${separator}${separator === ':' ? ' ' : ''}${value}`)
    .join('\n');
