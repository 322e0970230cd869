import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { DEPLOYMENT } from '@ship/control-plane/deployment';
import * as jsonc from 'jsonc-parser';
import { WEB_APP_FOLDER } from '../paths.ts';

export const HEADER = `// Your deployment of Ship. Keep this file: \`ship deploy\` adds what a new version needs, leaves what you wrote, and
// asks before it changes a value. Secrets are not in here. docs/deploy.md of Ship describes every variable.
{}
`;

/** The part of wrangler's configuration that Ship uses. */
export interface WranglerConfig {
  name: string;
  compatibility_date: string;
  compatibility_flags: string[];
  durable_objects: { bindings: { name: string; class_name: string }[] };
  migrations: { tag: string; new_sqlite_classes?: string[] }[];
  r2_buckets: { binding: string; bucket_name: string }[];
  assets: Record<string, unknown>;
  vars: Record<string, string>;
}

export interface DesiredConfig {
  /** The control plane's configuration, which its tests use too. */
  base: WranglerConfig;
  name: string | undefined;
  /** Relative to the configuration's folder, as wrangler expects. */
  main: string;
  page: string;
  vars: Record<string, string>;
  /** The deployment's host name; undefined keeps the file's value. */
  host: string | undefined;
}

export interface Choices {
  name?: string | undefined;
  /** The deployment's URL for people and sandboxes. */
  url?: string | undefined;
  /** The environment with the exported variables that are not secrets. */
  env: NodeJS.ProcessEnv;
}

/** Variables that are copied from the environment into the file; the URL comes from --url. */
const EXPORTED = ['GITHUB_URL', 'GITHUB_API_URL', 'E2B_TEMPLATE'] as const;

export function desiredConfig(folder: string, { name, url, env }: Choices): DesiredConfig {
  const exported = EXPORTED.flatMap((key) => (env[key] ? [[key, env[key]] as const] : []));
  return {
    // Ship's own file: the tests that use it check its shape.
    base: jsonc.parse(readFileSync(DEPLOYMENT.wranglerFile, 'utf8')) as WranglerConfig,
    name,
    main: relative(folder, DEPLOYMENT.workerFile),
    page: relative(folder, WEB_APP_FOLDER),
    vars: { ...(url === undefined ? {} : { PUBLIC_URL: url }), ...Object.fromEntries(exported) },
    host: url === undefined ? undefined : new URL(url).hostname,
  };
}
