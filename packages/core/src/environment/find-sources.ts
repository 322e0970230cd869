import { readCompose, COMPOSE_FILES } from './compose.ts';
import { COPILOT_SETUP_STEPS, readCopilotSetupSteps } from './copilot-setup-steps.ts';
import { CURSOR_ENVIRONMENT, readCursorEnvironment } from './cursor-environment.ts';
import type { VariableScope } from './devcontainer-variables.ts';
import { composeOf, readDevcontainer } from './devcontainer.ts';
import { type EnvironmentSource, notApplied } from './source.ts';

const IN_ROOT = ['.devcontainer/devcontainer.json', '.devcontainer.json'];
const IN_FOLDER = /^\.devcontainer\/([^/]+)\/devcontainer\.json$/;

/** Paths to read, as shell globs, in order of precedence. */
export const ENVIRONMENT_FILES: readonly string[] = [
  '.ship/start.sh',
  ...IN_ROOT,
  '.devcontainer/*/devcontainer.json',
  ...['.devcontainer', '.devcontainer/*'].flatMap((folder) => [
    `${folder}/*Dockerfile*`,
    ...COMPOSE_FILES.map((name) => `${folder}/${name}`),
  ]),
  'Dockerfile',
  ...COMPOSE_FILES,
  ...COPILOT_SETUP_STEPS,
  CURSOR_ENVIRONMENT,
  '.cursor/Dockerfile',
];

/** The devcontainer.json that counts, and the others that a person could choose. */
export function chooseDevcontainer(
  paths: readonly string[],
): { path: string; others: string[] } | null {
  const inFolders = paths.filter((path) => IN_FOLDER.test(path)).sort();
  const all = [...IN_ROOT.filter((path) => paths.includes(path)), ...inFolders];
  const [path, ...others] = all;
  return path === undefined ? null : { path, others };
}

/** All sources of a repository in order of precedence. `files`: text by path. */
export function findSources(
  files: Readonly<Record<string, string>>,
  scope: VariableScope,
): EnvironmentSource[] {
  const { secretNames } = scope;
  const sources: EnvironmentSource[] = [];
  const compose = (path: string, codeService: string | null) => {
    const text = files[path];
    if (text === undefined) return;
    sources.push(readCompose({ path, text, codeService, secretNames }));
  };
  const chosen = chooseDevcontainer(Object.keys(files));
  let composed: string[] = [];
  if (chosen !== null) {
    const { path, others } = chosen;
    const text = files[path] ?? '';
    const source = readDevcontainer({ path, text, scope, files });
    const rows = others.map((other) => notApplied(other, `${path} is used`));
    sources.push({ ...source, rows: [...source.rows, ...rows] });
    const { files: named, service } = composeOf(path, text);
    composed = named;
    for (const one of named) compose(one, service);
  }
  const workflow = COPILOT_SETUP_STEPS.find((path) => files[path] !== undefined);
  if (workflow !== undefined)
    sources.push(readCopilotSetupSteps(workflow, files[workflow] ?? '', { secretNames }));
  const cursor = files[CURSOR_ENVIRONMENT];
  if (cursor !== undefined) sources.push(readCursorEnvironment(cursor, files));
  // When a devcontainer names compose files, only those count.
  const own = COMPOSE_FILES.find((path) => files[path] !== undefined);
  if (own !== undefined && composed.length === 0) compose(own, null);
  return sources;
}
