import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { resolveUserPath } from '../paths.ts';

/** Checked before anything starts: a mistyped folder would otherwise silently start a server without the templates. */
export function templatesFolder(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const folder = resolveUserPath(given);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.some((name) => existsSync(join(folder, name, 'template.json')))) return folder;
  throw new Failure(
    `${given} has no sandbox template`,
    'A template is a folder in it with a template.json: see docs/sandboxes.md.',
    2,
  );
}
