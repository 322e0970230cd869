/**
 * The submodules of a commit, and from where each may be fetched. Anyone who can push may write `.gitmodules`: git gets only
 * addresses that this file has parsed and rebuilt.
 */
export interface Submodule {
  path: string;
  name: string;
  url: string | undefined;
  /** The commit that the repository points to. */
  sha: string;
}

/** A submodule that the sandbox does not have, with the reason. */
export interface MissingSubmodule {
  path: string;
  reason: string;
}

/** The repository that names the submodules: relative addresses start from it. */
export interface SubmoduleOrigin {
  /** Of the forge; `gitUrl/OWNER/NAME.git` is a repository there. */
  gitUrl: string;
  /** A folder of this machine, or an address of the repository. */
  location: string;
}

export type SubmoduleSource =
  /** At the session's forge: read through the gateway when a person added it, else from `publicUrl` if there is one. */
  | { kind: 'forge'; owner: string; name: string; publicUrl: string | null }
  /** A folder of this machine; read through the gateway when a person added it. */
  | { kind: 'folder'; path: string }
  /** Anywhere else, without a credential. */
  | { kind: 'public'; url: string }
  | { kind: 'none'; reason: string };

const MAX_LISTED = 2_000;
const MAX_PATH = 200;
const LINK = /^160000 ([0-9a-f]{40}(?:[0-9a-f]{24})?) \d\t(.+)$/s;

/** `listing`: `git ls-files -s -z`, links alone. `config`: `git config -z --get-regexp` of `.gitmodules`. */
export function readSubmodules(listing: string, config: string): Submodule[] {
  const named = modulesByPath(config);
  return listing
    .split('\0')
    .flatMap((line) => {
      const [, sha, path] = LINK.exec(line) ?? [];
      if (sha === undefined || path === undefined) return [];
      const { name = '', url } = named.get(path) ?? {};
      return [{ path, name, url, sha }];
    })
    .slice(0, MAX_LISTED);
}

function modulesByPath(config: string): Map<string, { name: string; url: string }> {
  const modules = new Map<string, { path?: string; url?: string }>();
  for (const entry of config.split('\0')) {
    const [, name = '', key, value = ''] = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(entry) ?? [];
    if (key === undefined) continue;
    modules.set(name, { ...modules.get(name), [key]: value });
  }
  const byPath = new Map<string, { name: string; url: string }>();
  for (const [name, { path, url }] of modules)
    if (path !== undefined && url !== undefined)
      byPath.set(path.replace(/\/+$/, ''), { name, url });
  return byPath;
}

export function submoduleSource(
  { path, url }: Pick<Submodule, 'path' | 'url'>,
  origin: SubmoduleOrigin,
): SubmoduleSource {
  if (!isSafePath(path)) return none('its path is not one that Ship writes to');
  if (url === undefined) return none('.gitmodules has no address for it');
  if (url.length > 1_000 || /[\p{Cc}\p{Cf}\s\\]/u.test(url) || url.startsWith('-'))
    return none('its address is malformed');
  if (/^\.\.?\//.test(url)) return relative(url, origin);
  if (url.startsWith('/')) return folder(url);
  return absolute(url, origin);
}

function relative(url: string, origin: SubmoduleOrigin): SubmoduleSource {
  if (origin.location.startsWith('/')) return folder(`${origin.location}/${url}`);
  const base = asUrl(origin.location);
  const resolved = base === null ? null : URL.parse(url, `${base.href.replace(/\/+$/, '')}/`);
  return resolved === null ? none('its address is malformed') : located(resolved, origin);
}

function folder(path: string): SubmoduleSource {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return { kind: 'folder', path: `/${parts.join('/')}` };
}

function absolute(text: string, origin: SubmoduleOrigin): SubmoduleSource {
  const url = asUrl(text);
  if (url === null || /^[\w-]+::/.test(text))
    return none(`${shown(text)} is not an address of a repository`);
  return located(url, origin);
}

/** `git@host:owner/name.git` is short for `ssh://git@host/owner/name.git`. */
function asUrl(text: string): URL | null {
  const [, host, path] = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/|:)([^\s]+)$/.exec(text) ?? [];
  return URL.parse(host === undefined ? text : `ssh://${host}/${path}`);
}

function located(url: URL, { gitUrl }: SubmoduleOrigin): SubmoduleSource {
  const root = new URL(gitUrl);
  const isSsh = url.protocol === 'ssh:';
  if (!isSsh && url.protocol !== 'https:' && url.protocol !== 'http:')
    return none(`Ship fetches submodules over https only, not over ${url.protocol.slice(0, 20)}`);
  const isSame = isSsh ? url.hostname === root.hostname : url.host === root.host;
  const prefix = root.pathname.replace(/\/$/, '');
  const below =
    isSame && url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : '';
  const [, owner, name] =
    /^\/(?!\.+\/)([\w.-]{1,100})\/(?!\.+(?:\.git)?\/?$)([\w.-]{1,100}?)(?:\.git)?\/?$/.exec(
      below,
    ) ?? [];
  if (owner !== undefined && name !== undefined) {
    const isPublic = root.protocol === 'https:';
    return {
      kind: 'forge',
      owner,
      name,
      publicUrl: isPublic ? `${gitUrl}/${owner}/${name}.git` : null,
    };
  }
  if (url.protocol === 'http:')
    return none('Ship fetches submodules over https only, not over http:');
  // Names without a dot and IP addresses may point into a private network.
  if (
    !/^(?=.*[a-z])[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(url.hostname) ||
    /\.(?:localhost|internal|local)$/i.test(url.hostname)
  )
    return none(`${shown(url.host)} is not a public host`);
  const host = isSsh ? url.hostname : url.host;
  return { kind: 'public', url: `https://${host}${url.pathname}` };
}

/** git's own rules, for every file system: a path must not lead out of the repository, or into a git folder. */
export function isSafePath(path: string): boolean {
  if (path.length > MAX_PATH || /[\p{Cc}\p{Cf}\\:]/u.test(path) || path.startsWith('-'))
    return false;
  return path
    .split('/')
    .every((part) => !/^(?:|\.+|\.git[. ]*|git~\d+)$/i.test(part) && !/^\.git\W/i.test(part));
}

const none = (reason: string): SubmoduleSource => ({ kind: 'none', reason });

/** A URL for display: it may contain a password or control characters. */
export function shown(url: string): string {
  return url
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1')
    .slice(0, 200);
}

interface CheckoutFacts {
  missing: readonly MissingSubmodule[];
  initialized: readonly string[];
  lfsFiles: number;
}

/** A note to the agent before its first turn in a sandbox; null when there is nothing to report. */
export function checkoutNote(facts: CheckoutFacts | undefined): string | null {
  if (facts === undefined) return null;
  const { missing, initialized, lfsFiles } = facts;
  const lines: string[] = [];
  if (initialized.length > 0)
    lines.push(
      `Submodules that are checked out: ${initialized.join(', ')}. Changes inside them are not delivered: this session can push to its own repository only.`,
    );
  for (const { path, reason } of missing)
    lines.push(`The submodule ${path} is not checked out: ${reason}.`);
  if (lfsFiles > 0) lines.push(`Git LFS: ${lfsFiles} files are pointers without their content.`);
  return lines.length === 0 ? null : `Note from Ship about the checkout:\n${lines.join('\n')}`;
}
