/** Submodules of a fresh clone, from git's own listings; what they say is the repository's and is believed for display only. */
export interface MissingSubmodule {
  path: string;
  reason: string;
}

const MAX_LISTED = 100;

/** `listing`: `git ls-files -s -z`, links alone. `config`: `git config -z --get-regexp` of `.gitmodules`. */
export function missingSubmodules(listing: string, config: string): MissingSubmodule[] {
  const urls = urlsByPath(config);
  return listing
    .split('\0')
    .flatMap((line) => /^160000 [0-9a-f]+ \d\t(.+)$/s.exec(line)?.[1] ?? [])
    .slice(0, MAX_LISTED)
    .map((path) => {
      const url = urls.get(path);
      const reason =
        url === undefined
          ? '.gitmodules has no address for it'
          : `a session reaches its own repository only, not ${withoutCredentials(url)}`;
      return { path: path.slice(0, 4096), reason };
    });
}

function urlsByPath(config: string): Map<string, string> {
  const modules = new Map<string, { path?: string; url?: string }>();
  for (const entry of config.split('\0')) {
    const [, name = '', key, value = ''] = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(entry) ?? [];
    if (key === undefined) continue;
    modules.set(name, { ...modules.get(name), [key]: value });
  }
  const urls = new Map<string, string>();
  for (const { path, url } of modules.values())
    if (path !== undefined && url !== undefined) urls.set(path.replace(/\/+$/, ''), url);
  return urls;
}

/** An address may carry a password, and whatever else its author liked. */
function withoutCredentials(url: string): string {
  return url
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1')
    .slice(0, 200);
}
