/** A line of a repository file, in the page's URL as `src/a.ts:12`. */
export interface Target {
  readonly path: string;
  readonly line: number;
}

const repository = '/home/user/repository/';

export const targetText = ({ path, line }: Target): string =>
  `${path.startsWith(repository) ? path.slice(repository.length) : path}:${line}`;

export function readTarget(text: string | undefined): Target | null {
  const [, path, line] = /^(.+?)(?::(\d{1,7}))?$/.exec(text ?? '') ?? [];
  return path === undefined ? null : { path, line: Math.max(1, Number(line ?? 1)) };
}

/** The URL path that opens VS Code with a folder and, in it, a file at a line. `host` is the host of the port. */
export function editorPath(folder: string, host: string, target: Target | null): string {
  const query = new URLSearchParams({ folder });
  if (target !== null) {
    const file = encodeURI(`${folder}/${target.path}`);
    const payload = [
      ['openFile', `vscode-remote://${host}${file}:${target.line}:1`],
      ['gotoLineMode', 'true'],
    ];
    query.set('payload', JSON.stringify(payload));
  }
  return `/?${query.toString()}`;
}
