import { encodePath } from '../commits/to-json.ts';
import type { Forge } from '../forge.ts';
import type { TreeEntry } from '../git/trees.ts';
import { limits } from '../limits.ts';
import { repositoryHtmlUrl, repositoryUrl } from '../repositories/to-json.ts';
import type { RepositoryRow } from '../store/rows.ts';

export function contentType(entry: TreeEntry): 'file' | 'dir' | 'symlink' | 'submodule' {
  if (entry.type === 'tree') return 'dir';
  if (entry.type === 'commit') return 'submodule';
  return entry.mode === '120000' ? 'symlink' : 'file';
}

/** An entry without its content, as in directory listings. */
export function entryJson(
  forge: Forge,
  repository: RepositoryRow,
  entry: TreeEntry,
  path: string,
  ref: string,
) {
  const api = repositoryUrl(forge, repository);
  const html = repositoryHtmlUrl(forge, repository);
  const encoded = encodePath(path);
  const kind = entry.type === 'tree' ? 'tree' : 'blob';
  const name = encodeURIComponent(ref);
  const url = `${api}/contents/${encoded}?ref=${name}`;
  const git = entry.type === 'commit' ? null : `${api}/git/${kind}s/${entry.sha}`;
  const page = `${html}/${kind}/${name}/${encoded}`;
  return {
    type: contentType(entry),
    name: path.split('/').at(-1) ?? path,
    path,
    sha: entry.sha,
    size: entry.size ?? 0,
    url,
    html_url: page,
    git_url: git,
    download_url: entry.type === 'blob' ? `${html}/raw/${name}/${encoded}` : null,
    _links: { self: url, git, html: page },
  };
}

/** As on GitHub, content between 1 and 100 MB is omitted; clients get it with the raw media type. */
export function encodeContent(content: Buffer): { encoding: string; content: string } {
  if (content.length > limits.contentBytes) return { encoding: 'none', content: '' };
  return { encoding: 'base64', content: wrap(content.toString('base64')) };
}

function wrap(base64: string): string {
  return base64.replace(/.{60}(?=.)/g, '$&\n') + (base64 === '' ? '' : '\n');
}
