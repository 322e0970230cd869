import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { DEPLOYMENT } from '@ship/control-plane/deployment';
import * as jsonc from 'jsonc-parser';
import { PAGE_FOLDER } from '../where.ts';

export const HEADER = `// Your deployment of Ship. Keep this file: \`ship deploy\` adds what a new version needs, leaves what you wrote, and
// asks before it changes a value. Secrets are not in here. docs/deploy.md of Ship describes every variable.
{}
`;

/** As much of wrangler's configuration as Ship speaks of. */
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

export interface Wanted {
  /** The control plane's own configuration, with which its tests run. */
  base: WranglerConfig;
  name: string | undefined;
  /** Relative to the configuration's folder, as wrangler reads them. */
  main: string;
  page: string;
  vars: Record<string, string>;
  /** The name under which it is found; undefined leaves what the file says. */
  host: string | undefined;
}

export interface Choices {
  name?: string | undefined;
  /** Where people and sandboxes find the deployment. */
  url?: string | undefined;
  /** Where the variables that are no secrets are exported. */
  env: NodeJS.ProcessEnv;
}

/** What goes from the environment into the file; the address comes by --url. */
const EXPORTED = ['GITHUB_URL', 'GITHUB_API_URL', 'E2B_TEMPLATE'] as const;

export function wantedConfig(folder: string, { name, url, env }: Choices): Wanted {
  const exported = EXPORTED.flatMap((key) => (env[key] ? [[key, env[key]] as const] : []));
  return {
    // Our own file: its shape is checked by the tests that run with it.
    base: jsonc.parse(readFileSync(DEPLOYMENT.wranglerFile, 'utf8')) as WranglerConfig,
    name,
    main: relative(folder, DEPLOYMENT.workerFile),
    page: relative(folder, PAGE_FOLDER),
    vars: { ...(url === undefined ? {} : { PUBLIC_URL: url }), ...Object.fromEntries(exported) },
    host: url === undefined ? undefined : new URL(url).hostname,
  };
}
