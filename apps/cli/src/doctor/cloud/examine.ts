import { existsSync, readFileSync } from 'node:fs';
import { parsed } from '../../deploy/config.ts';
import { exportedSecrets } from '../../deploy/secrets.ts';
import { fromUsersFolder } from '../../where.ts';
import type { Finding } from '../examine.ts';
import { type Values, checkFormats, wellFormed } from './formats.ts';
import { checkServices } from './services.ts';

export interface CloudOptions {
  config: string;
  /** Looks at what is set without asking anybody. */
  offline: boolean;
  env: NodeJS.ProcessEnv;
}

/** Everything that a deployment needs: what is in its configuration, what is exported, and whether the keys are good. */
export async function examineCloud({ config, offline, env }: CloudOptions): Promise<Finding[]> {
  const file = fromUsersFolder(config);
  const values = valuesOf(file, env);
  const asked = offline ? [] : await checkServices(wellFormed(values));
  return [checkFile(file), ...checkFormats(values), ...asked];
}

function valuesOf(file: string, env: NodeJS.ProcessEnv): Values {
  const { vars = {} } = existsSync(file)
    ? (parsed(readFileSync(file, 'utf8')) as { vars?: Record<string, string> })
    : {};
  const secrets = [...exportedSecrets(env).values()].map(({ name, value }) => [name, value]);
  return new Map([...Object.entries(vars), ...(secrets as [string, string][])]);
}

function checkFile(file: string): Finding {
  const check = 'configuration';
  if (existsSync(file)) return { check, verdict: 'pass', detail: file };
  return {
    check,
    verdict: 'warn',
    detail: `there is no ${file} yet`,
    remedy: 'ship deploy --url https://… makes it; with --dry-run it shows what it would be.',
  };
}
