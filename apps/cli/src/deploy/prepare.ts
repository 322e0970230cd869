import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DEPLOYMENT } from '@ship/control-plane/deployment';
import { Failure } from '../failure.ts';
import { PAGE_FOLDER, fromUsersFolder } from '../where.ts';
import { type ConfigChange, type PreparedConfig, prepareConfig } from './config.ts';
import { exportedSecrets, misshapen } from './secrets.ts';
import { VARIABLES, exportedName } from './variables.ts';
import { wantedConfig } from './wanted.ts';

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

/** Everything that can be known before anybody is asked; `folder` is where the configuration will lie. */
export function prepare(
  { config, name, url }: DeployOptions,
  env: NodeJS.ProcessEnv,
  folder = dirname(fromUsersFolder(config)),
): Prepared {
  requireBuilt();
  if (url !== undefined && PUBLIC_URL?.pattern?.test(url) === false)
    throw new Failure(`--url ${url} does not look right.`, `It should be ${PUBLIC_URL.shape}.`, 2);
  const bad = misshapen(exportedSecrets(env).values());
  if (bad !== undefined)
    throw new Failure(
      `${exportedName(bad)} does not look right.`,
      `It should be ${bad.shape}. ship doctor --cloud checks all of them.`,
    );
  const file = fromUsersFolder(config);
  const existing = existsSync(file) ? readFileSync(file, 'utf8') : null;
  return { ...prepareConfig(existing, wantedConfig(folder, { name, url, env })), file, folder };
}

function requireBuilt(): void {
  if (existsSync(DEPLOYMENT.workerFile) && existsSync(`${PAGE_FOLDER}/index.html`)) return;
  throw new Failure(
    'The Worker or the page is not built.',
    'Run `npx --no-install ship deploy`, which builds both, or `npm start` once.',
  );
}

/** One line for each change, for people. */
export function changeLine({ kind, path, from, to }: ConfigChange): string {
  const value = JSON.stringify(to);
  return kind === 'added' ? `+ ${path}: ${value}` : `~ ${path}: ${JSON.stringify(from)} → ${value}`;
}
