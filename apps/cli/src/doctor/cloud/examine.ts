import { existsSync, readFileSync } from 'node:fs';
import { parsed } from '../../deploy/config.ts';
import { exportedSecrets } from '../../deploy/secrets.ts';
import { resolveUserPath } from '../../paths.ts';
import type { Finding } from '../examine.ts';
import { type Values, checkFormats, wellFormed } from './formats.ts';
import { checkServices } from './services.ts';

export interface CloudOptions {
  config: string;
  /** Checks the values without contacting any service. */
  offline: boolean;
  env: NodeJS.ProcessEnv;
}

/** Checks everything that a deployment needs: its configuration, exported variables, and whether the keys are valid. */
export async function examineCloud({ config, offline, env }: CloudOptions): Promise<Finding[]> {
  const file = resolveUserPath(config);
  const values = valuesOf(file, env);
  const serviceChecks = offline ? [] : await checkServices(wellFormed(values));
  return [checkFile(file), ...checkFormats(values), ...serviceChecks];
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
    remedy: 'ship deploy --url https://… creates it; with --dry-run it only shows it.',
  };
}
