import { type EnvironmentRow, applied, notApplied } from './source.ts';
import { textOf } from './untyped.ts';

/**
 * Maps an absolute path in a container to a folder below the repository's root: the repository is mounted at
 * `workspaceMount`, else at `/workspaces/NAME`; compose files mostly mount it at `/workspace`.
 */
export function readWorkspaceFolder(
  file: Record<string, unknown>,
  repositoryName: string,
): { folder: string | null; rows: EnvironmentRow[] } {
  const path = textOf(file['workspaceFolder']);
  if (path === null) return { folder: null, rows: [] };
  const known = (text: string) =>
    text
      .replaceAll(/\$\{(?:local|container)WorkspaceFolderBasename\}/g, repositoryName)
      .replace(/\/+$/, '');
  const [, target] = /(?:^|,)(?:target|dst|destination)=([^,]+)/.exec(
    textOf(file['workspaceMount']) ?? '',
  ) ?? [undefined, undefined];
  const mounts = [target, `/workspaces/${repositoryName}`, '/workspace', '/app', '/code'];
  for (const mount of mounts) {
    if (mount === undefined) continue;
    const inside = below(known(mount), known(path));
    if (inside === '') return { folder: null, rows: [] };
    if (inside !== null)
      return {
        folder: inside,
        rows: [applied('workspaceFolder', `setup and start commands run in ${inside}`)],
      };
  }
  // Any other name directly below /workspaces is the repository under a clone's name.
  const [, inside] = /^\/workspaces\/[^/]+(?:\/(.*))?$/.exec(known(path)) ?? [];
  if (inside === undefined && !known(path).startsWith('/workspaces/'))
    return {
      folder: null,
      rows: [notApplied('workspaceFolder', `${path} is not a folder of the repository`)],
    };
  return inside === undefined || isOutside(inside)
    ? { folder: null, rows: [] }
    : {
        folder: inside,
        rows: [applied('workspaceFolder', `setup and start commands run in ${inside}`)],
      };
}

function below(mount: string, path: string): string | null {
  if (path === mount) return '';
  if (!path.startsWith(`${mount}/`)) return null;
  const inside = path.slice(mount.length + 1);
  return isOutside(inside) ? null : inside;
}

const isOutside = (path: string): boolean => path.split('/').includes('..');
