import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LaunchBindings } from '@ship/control-plane/launch';
import type { DemoModel } from '@ship/demo-model';
import type { RunningForge } from '@ship/forge';
import { isErrno } from '../failure.ts';
import { githubUrl, readToken } from '../github/stored-token.ts';
import type { DataFolder } from './data-folder.ts';
import type { SandboxAddresses } from './sandbox-service.ts';

/** The local services around the control plane; undefined for one that could not start. */
export interface LocalServices {
  sandboxes: SandboxAddresses | undefined;
  forge: RunningForge | undefined;
  demoModel: DemoModel | undefined;
  /** The web app's URL: pull requests link to their session there. */
  url?: string;
}

/** Exported variables that the control plane gets. Nothing else of the environment is passed on. */
const FORWARDED_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'OLLAMA_HOST',
  'E2B_TEMPLATE',
  'GITHUB_TOKEN',
  'GITHUB_APP_ID',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_WEBHOOK_SECRET',
  'GITHUB_API_URL',
  'GITHUB_URL',
] as const;

/** Linux does not start a program with a longer environment variable. */
const MAX_VARIABLE_BYTES = 120_000;

export function controlPlaneBindings(
  data: DataFolder,
  { sandboxes, forge, demoModel, url }: LocalServices,
  env: NodeJS.ProcessEnv,
): LaunchBindings {
  return withoutAbsent({
    LOCAL_TOKEN: data.secret('local-token'),
    SECRETS_KEYS: data.secret('secrets-key'),
    GATEWAY_SECRET: data.secret('gateway-secret'),
    E2B_API_URL: sandboxes?.apiUrl,
    E2B_SANDBOX_URL: sandboxes?.sandboxUrl,
    E2B_API_KEY: sandboxes?.apiKey,
    // E2B_API_KEY in the control plane is the key of the local sandbox server.
    E2B_CLOUD_API_KEY: env.E2B_API_KEY,
    FORGE_API_URL: forge?.apiUrl,
    FORGE_GIT_URL: forge?.gitUrl,
    FORGE_TOKEN: forge === undefined ? undefined : data.secret('forge-token'),
    DEMO_MODEL_URL: demoModel?.baseUrl,
    PUBLIC_URL: sandboxes === undefined ? undefined : url,
    MODELS_FILE: readModelsFile(data),
    ...Object.fromEntries(FORWARDED_VARIABLES.map((name) => [name, env[name]])),
    GITHUB_TOKEN: env.GITHUB_TOKEN || readToken(data.path, githubUrl(env))?.token,
  });
}

/** Reads the user's models.json; the control plane parses it. */
function readModelsFile(data: DataFolder): string | undefined {
  const file = join(data.path, 'models.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    process.stderr.write(`ship: warning: ${file} is ignored: it cannot be read\n`);
    return undefined;
  }
  if (Buffer.byteLength(text) <= MAX_VARIABLE_BYTES && !text.includes('\0')) return text;
  process.stderr.write(
    `ship: warning: ${file} is ignored: it must be text of at most ${MAX_VARIABLE_BYTES} bytes\n`,
  );
  return undefined;
}

/** Removes absent and empty values: people unset a variable by making it empty. */
function withoutAbsent(named: Record<string, string | undefined>): LaunchBindings {
  const present = Object.entries(named).filter(([, value]) => value !== undefined && value !== '');
  // The required ones are the data folder's secrets, which always exist.
  return Object.fromEntries(present) as unknown as LaunchBindings;
}
