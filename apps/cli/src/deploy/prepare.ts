import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DEPLOYMENT } from '@ship/control-plane/deployment';
import { Failure } from '../failure.ts';
import { WEB_APP_FOLDER, resolveUserPath } from '../paths.ts';
import { type ConfigChange, type PreparedConfig, prepareConfig } from './config.ts';
import { exportedSecrets, firstMalformed } from './secrets.ts';
import { VARIABLES, exportedName } from './variables.ts';
import { desiredConfig } from './desired-config.ts';

export interface DeployOptions {
  config: string;
  name?: string;
  url?: string;
  dryRun: boolean;
  yes: boolean;
  rebuildTemplate: boolean;
  json: boolean;
}

export interface Prepared extends PreparedConfig {
  file: string;
  folder: string;
}

const PUBLIC_URL = VARIABLES.find(({ name }) => name === 'PUBLIC_URL');

/** Everything that is known without the network or the user; `folder` is the configuration's folder. */
export function prepare(
  { config, name, url }: DeployOptions,
  env: NodeJS.ProcessEnv,
  folder = dirname(resolveUserPath(config)),
): Prepared {
  requireBuilt();
  if (url !== undefined && PUBLIC_URL?.pattern?.test(url) === false)
    throw new Failure(`--url ${url} has the wrong format.`, `It must be ${PUBLIC_URL.shape}.`, 2);
  const bad = firstMalformed(exportedSecrets(env).values());
  if (bad !== undefined)
    throw new Failure(
      `${exportedName(bad)} has the wrong format.`,
      `It must be ${bad.shape}. ship doctor --cloud checks all variables.`,
    );
  const file = resolveUserPath(config);
  const existing = existsSync(file) ? readFileSync(file, 'utf8') : null;
  return { ...prepareConfig(existing, desiredConfig(folder, { name, url, env })), file, folder };
}

function requireBuilt(): void {
  if (existsSync(DEPLOYMENT.workerFile) && existsSync(`${WEB_APP_FOLDER}/index.html`)) return;
  throw new Failure(
    'The Worker or the web app is not built.',
    'Run `npx --no-install ship deploy`, which builds both, or `npm start` once.',
  );
}

/** One line for each change, for people. */
export function changeLine({ kind, path, from, to }: ConfigChange): string {
  const value = JSON.stringify(to);
  return kind === 'added' ? `+ ${path}: ${value}` : `~ ${path}: ${JSON.stringify(from)} → ${value}`;
}
