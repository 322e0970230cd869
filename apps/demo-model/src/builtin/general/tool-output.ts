/** Parses the output of the agent's tools. Pure. */

const NOT_SOURCE = /(^|\/)(node_modules|\.git|dist|build|coverage|vendor|__pycache__|\.venv)\//;

export function filesOf(listing: string | null, relative: (path: string) => string): string[] {
  if (listing === null) return [];
  return listing
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^\(|^No files found/.test(line))
    .map(relative)
    .filter((file) => !NOT_SOURCE.test(file));
}

export interface FileText {
  text: string;
  /** The tool returned only a part of the file: an edit at its end would change the middle. */
  partial: boolean;
}

/** Removes the frame and line numbers of the `read` tool. */
export function fileText(output: string | null): FileText | null {
  if (output === null) return null;
  const framed = /<content>\n([^]*?)\n?<\/content>/.exec(output)?.[1];
  if (framed === undefined) return null;
  const numbered = framed.split('\n').flatMap((line) => {
    const found = /^\s*\d+: ?(.*)$/.exec(line);
    return found === null ? [] : [found[1] ?? ''];
  });
  const partial = !/\(End of file/.test(framed);
  return { text: numbered.join('\n'), partial };
}

export interface Hit {
  file: string;
  line: number;
  text: string;
}

const MAX_HITS = 5;
const MAX_HIT_LENGTH = 80;

/** The `grep` tool prints each file with its lines. Keeps one hit per file, so that several files are shown. */
export function hitsOf(output: string | null, relative: (path: string) => string): Hit[] {
  const hits: Hit[] = [];
  let file = '';
  for (const line of (output ?? '').split('\n')) {
    const header = /^(\S.*):$/.exec(line)?.[1];
    if (header !== undefined) file = relative(header);
    const [, number, text] = /^\s+Line (\d+): (.*)$/.exec(line) ?? [];
    if (number === undefined || text === undefined || file === '') continue;
    if (NOT_SOURCE.test(file) || hits.some((hit) => hit.file === file)) continue;
    hits.push({ file, line: Number(number), text: text.trim().slice(0, MAX_HIT_LENGTH) });
  }
  return hits.slice(0, MAX_HITS);
}
