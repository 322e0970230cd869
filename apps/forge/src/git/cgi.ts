/** The head of a CGI response: status, headers, and the start of the body. */
export interface CgiHead {
  status: number;
  headers: Array<[string, string]>;
  bodyStart: number;
}

const maxHeadBytes = 16 * 1024;

/** Parses the head once it is complete. */
export function parseCgiHead(bytes: Buffer): CgiHead | 'incomplete' | 'malformed' {
  const { end, length } = endOfHead(bytes);
  if (end < 0) return bytes.length > maxHeadBytes ? 'malformed' : 'incomplete';
  const head: CgiHead = { status: 200, headers: [], bodyStart: end + length };
  for (const line of bytes.toString('latin1', 0, end).split(/\r?\n/)) {
    const match = /^([A-Za-z0-9-]+): *(.*)$/.exec(line);
    const [, name, value] = match ?? [];
    if (name === undefined || value === undefined) return 'malformed';
    if (name.toLowerCase() === 'status') head.status = Number(value.slice(0, 3));
    else head.headers.push([name, value]);
  }
  const valid = Number.isInteger(head.status) && head.status >= 200 && head.status < 600;
  return valid ? head : 'malformed';
}

function endOfHead(bytes: Buffer): { end: number; length: number } {
  const end = bytes.indexOf('\r\n\r\n');
  return end >= 0 ? { end, length: 4 } : { end: bytes.indexOf('\n\n'), length: 2 };
}

export interface GitRequest {
  owner: string;
  name: string;
  /** PATH_INFO for `git http-backend`. */
  path: '/info/refs' | '/git-upload-pack' | '/git-receive-pack';
  service: 'git-upload-pack' | 'git-receive-pack';
}

/** Accepts the smart protocol's three URLs only: the dumb protocol would expose files of the repository. */
export function parseGitUrl(method: string, url: string): GitRequest | undefined {
  const match =
    /^\/git\/([^/?]+)\/([^/?]+?)(?:\.git)?(\/info\/refs|\/git-upload-pack|\/git-receive-pack)(?:\?([^#]*))?$/.exec(
      url,
    );
  const [, owner, name, path, query] = match ?? [];
  if (owner === undefined || name === undefined || path === undefined) return undefined;
  const service = path === '/info/refs' ? new URLSearchParams(query).get('service') : path.slice(1);
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') return undefined;
  if (method !== (path === '/info/refs' ? 'GET' : 'POST')) return undefined;
  return { owner, name, path: path as GitRequest['path'], service };
}
