/**
 * Every variable that the control plane reads, and how a deployment sets it. A test compares this list with the Worker's types
 * and docs/deploy.md.
 */
import { ownerTokenWeakness } from '@ship/core/owner-token';

/** `binding`: created by the configuration. `one-machine`: set by `ship up`, never in the cloud. */
type Kind = 'binding' | 'variable' | 'secret' | 'one-machine';

export interface Variable {
  /** The name that the Worker reads. */
  name: string;
  kind: Kind;
  /** The name that the user exports, if it differs. */
  from?: string;
  /** `ship deploy` generates a missing secret with this number of random bytes, in hex. */
  generatedBytes?: number;
  /** `always`: a deployment is useless without it. `model`: one of several alternatives is sufficient. */
  needed?: 'always' | 'model';
  /** An alternative variable: when that is set, this one is not needed. */
  alternative?: string;
  pattern?: Pick<RegExp, 'test'>;
  /** A description of the pattern. */
  shape?: string;
  /** The features that work without it. */
  without?: string;
  /** How to get one. */
  remedy?: string;
}

const NO_OTHER_MODEL =
  'Models of other providers work, and those that are configured in Settings or with PUT /api/providers.';

export const VARIABLES: readonly Variable[] = [
  ...(['SESSIONS', 'WORKSPACES', 'RESERVES', 'ASSETS', 'ARTIFACTS', 'HOST'] as const).map(
    (name): Variable => ({
      name,
      kind: name === 'HOST' ? 'one-machine' : 'binding',
    }),
  ),
  {
    name: 'PUBLIC_URL',
    kind: 'variable',
    needed: 'always',
    pattern: /^https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)+$/,
    shape: 'https:// and a host name, nothing after it',
    without: 'Nothing works: sandboxes could not reach models and git.',
    remedy: 'ship deploy --url https://ship.example.com',
  },
  { name: 'ALLOWED_HOSTS', kind: 'variable' },
  { name: 'PREVIEW_HOST', kind: 'variable' },
  { name: 'AUTH_MODE', kind: 'variable' },
  {
    name: 'E2B_TEMPLATE',
    kind: 'variable',
    pattern: /^[a-z0-9][a-z0-9_-]{0,62}$/,
    shape: 'lowercase letters, digits, - and _',
    without: 'The template is called ship.',
  },
  {
    name: 'SECRETS_KEYS',
    kind: 'secret',
    generatedBytes: 32,
    pattern: /^[0-9a-f]{64}(\s*,\s*[0-9a-f]{64})*$/i,
    shape: '64 hex digits, or several such keys separated by commas, newest first',
  },
  {
    name: 'GATEWAY_SECRET',
    kind: 'secret',
    generatedBytes: 32,
    pattern: /^[\x21-\x7e]{32,}$/,
    shape: 'at least 32 characters without spaces',
  },
  {
    name: 'OWNER_TOKEN',
    kind: 'secret',
    generatedBytes: 24,
    pattern: {
      test: (value) =>
        /^[\x21-\x7e]{32,200}$/.test(value) && ownerTokenWeakness(value) === undefined,
    },
    shape: '32 to 200 characters without spaces, 8 of them different, and no repetition',
  },
  {
    name: 'E2B_CLOUD_API_KEY',
    kind: 'secret',
    from: 'E2B_API_KEY',
    needed: 'always',
    pattern: /^e2b_[A-Za-z0-9_-]{10,}$/,
    shape: 'e2b_ and letters and digits',
    without: 'Lists, board and settings work; no task can run.',
    remedy: 'Create a key at https://e2b.dev/dashboard and export E2B_API_KEY.',
  },
  {
    name: 'GITHUB_TOKEN',
    kind: 'secret',
    needed: 'always',
    alternative: 'GITHUB_APP_PRIVATE_KEY',
    pattern: /^(gh[a-z]_|github_pat_)?[A-Za-z0-9_]{20,}$/,
    shape: 'ghp_…, github_pat_… or another token of GitHub',
    without:
      'Public repositories can be read; nothing can be pushed and no pull request opened, until one is set under Settings → Forges.',
    remedy:
      'Create a token with Contents and Pull requests: write, and Metadata: read, at https://github.com/settings/personal-access-tokens and export GITHUB_TOKEN.',
  },
  {
    name: 'GITHUB_APP_ID',
    kind: 'secret',
    pattern: /^(\d{1,12}|Iv[\w.]{10,40})$/,
    shape: 'the number of the App, or its client id',
    without: 'GITHUB_TOKEN is used.',
    remedy: 'It is on the page of the App, under “About”.',
  },
  {
    name: 'GITHUB_APP_PRIVATE_KEY',
    kind: 'secret',
    pattern: /^\s*-----BEGIN (RSA )?PRIVATE KEY-----[\s\S]+-----END (RSA )?PRIVATE KEY-----\s*$/,
    shape: 'the text of the .pem file, with its first and last line',
    without: 'GITHUB_TOKEN is used.',
    remedy:
      'Create an App with Contents and Pull requests: write, create a private key on its page and export GITHUB_APP_PRIVATE_KEY="$(cat app.pem)".',
  },
  {
    name: 'GITHUB_WEBHOOK_SECRET',
    kind: 'secret',
    pattern: /^[\x21-\x7e]{16,}$/,
    shape: 'at least 16 characters without spaces',
    without:
      'Ship polls GitHub for changes of open pull requests instead of receiving them immediately.',
    remedy: 'Choose a long random text, and set it in the webhook of the repository too.',
  },
  {
    name: 'GITHUB_URL',
    kind: 'variable',
    pattern: /^https:\/\/\S+$/,
    shape: 'an https:// address',
    without: 'https://github.com is used.',
  },
  {
    name: 'GITHUB_API_URL',
    kind: 'variable',
    pattern: /^https:\/\/\S+$/,
    shape: 'an https:// address',
    without: 'It is derived from GITHUB_URL.',
  },
  {
    name: 'ANTHROPIC_API_KEY',
    kind: 'secret',
    needed: 'model',
    pattern: /^sk-ant-\S{10,}$/,
    shape: 'sk-ant-…',
    without: NO_OTHER_MODEL,
    remedy: 'Create a key at https://console.anthropic.com and export ANTHROPIC_API_KEY.',
  },
  {
    name: 'OPENAI_API_KEY',
    kind: 'secret',
    needed: 'model',
    pattern: /^sk-\S{10,}$/,
    shape: 'sk-…',
    without: NO_OTHER_MODEL,
    remedy: 'Create a key at https://platform.openai.com/api-keys and export OPENAI_API_KEY.',
  },
  {
    name: 'OPENROUTER_API_KEY',
    kind: 'secret',
    needed: 'model',
    pattern: /^sk-or-\S{10,}$/,
    shape: 'sk-or-…',
    without: NO_OTHER_MODEL,
    remedy: 'Create a key at https://openrouter.ai/keys and export OPENROUTER_API_KEY.',
  },
  {
    name: 'MODELS_FILE',
    kind: 'secret',
    needed: 'model',
    pattern: /^\s*\{/,
    shape: 'the text of a models.json',
    without: NO_OTHER_MODEL,
    remedy: 'Export MODELS_FILE="$(cat models.json)"; docs/models.md describes the file.',
  },
  {
    name: 'OLLAMA_HOST',
    kind: 'one-machine',
  },
  ...(
    [
      'LOCAL_TOKEN',
      'E2B_API_URL',
      'E2B_SANDBOX_URL',
      'E2B_API_KEY',
      'FORGE_API_URL',
      'FORGE_GIT_URL',
      'FORGE_TOKEN',
      'DEMO_MODEL_URL',
    ] as const
  ).map((name): Variable => ({ name, kind: 'one-machine' })),
];

/** The name that the user exports. */
export const exportedName = ({ name, from }: Variable): string => from ?? name;

export const SECRETS = VARIABLES.filter(({ kind }) => kind === 'secret');
