import { type EnvironmentRow, type ToolRequest, notApplied } from './source.ts';
import { recordOf, scalarOf } from './untyped.ts';

/** Features that only install a tool: they count as applied when the sandbox has the tool in that version. */
const TOOL_OF_FEATURE: Readonly<Record<string, string>> = {
  node: 'node',
  python: 'python',
  go: 'go',
  rust: 'rust',
  java: 'java',
  ruby: 'ruby',
  php: 'php',
  bun: 'bun',
  deno: 'deno',
  uv: 'uv',
  'github-cli': 'gh',
  'git-lfs': 'git-lfs',
  git: 'git',
  'common-utils': 'curl',
  dotnet: 'dotnet',
  'aws-cli': 'aws',
  'azure-cli': 'az',
  terraform: 'terraform',
  'kubectl-helm-minikube': 'kubectl',
  'postgresql-client': 'psql',
  pnpm: 'pnpm',
  act: 'act',
};
const DOCKER = /^docker-(?:in-docker|outside-of-docker|from-docker|from-docker-compose)$/;
/** Values of feature options that accept any version. */
const ANY_VERSION = new Set(['latest', 'lts', 'none', 'os-provided', 'default', 'automatic', '']);

interface FeaturesSection {
  tools: ToolRequest[];
  rows: EnvironmentRow[];
}

export function readFeatures(value: unknown): FeaturesSection {
  const tools: ToolRequest[] = [];
  const rows: EnvironmentRow[] = [];
  for (const [id, options] of Object.entries(recordOf(value))) {
    const name = featureName(id);
    const item = `feature ${name}`;
    const tool = TOOL_OF_FEATURE[name];
    if (tool !== undefined) tools.push({ tool, version: versionOf(options), item });
    else if (DOCKER.test(name))
      rows.push(notApplied(item, 'Docker needs a microVM: a sandbox has no container engine'));
    else rows.push(notApplied(item, 'features are scripts for an image, and no image is built'));
  }
  return { tools, rows };
}

/** `ghcr.io/devcontainers/features/node:1` is `node`. */
function featureName(id: string): string {
  const path = (id.split('@')[0] ?? id).replace(/:[^/]*$/, '');
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A feature's value is its options, or the version alone. */
function versionOf(options: unknown): string | null {
  const version = scalarOf(options) ?? scalarOf(recordOf(options)['version']) ?? '';
  return ANY_VERSION.has(version) || version === 'true' ? null : version;
}
