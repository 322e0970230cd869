import { parse } from 'yaml';
import { readServices } from './compose-services.ts';
import { shellWord } from './shell-text.ts';
import {
  type EnvironmentRow,
  type EnvironmentSource,
  type EnvironmentStep,
  type ToolRequest,
  type ValuePart,
  applied,
  emptySource,
  notApplied,
  unreadableSource,
} from './source.ts';
import { recordOf, scalarOf, textOf } from './untyped.ts';

export const COPILOT_SETUP_STEPS = [
  '.github/workflows/copilot-setup-steps.yml',
  '.github/workflows/copilot-setup-steps.yaml',
];
const JOB = 'copilot-setup-steps';

/** Actions that only install a tool, with the input that sets its version. */
const TOOL_OF_ACTION: Readonly<Record<string, readonly [tool: string, input: string]>> = {
  'actions/setup-node': ['node', 'node-version'],
  'actions/setup-python': ['python', 'python-version'],
  'actions/setup-go': ['go', 'go-version'],
  'actions/setup-java': ['java', 'java-version'],
  'actions/setup-dotnet': ['dotnet', 'dotnet-version'],
  'ruby/setup-ruby': ['ruby', 'ruby-version'],
  'pnpm/action-setup': ['pnpm', 'version'],
  'oven-sh/setup-bun': ['bun', 'bun-version'],
  'astral-sh/setup-uv': ['uv', 'version'],
  'denoland/setup-deno': ['deno', 'deno-version'],
  'dtolnay/rust-toolchain': ['rust', 'toolchain'],
  'shivammathur/setup-php': ['php', 'php-version'],
};
const EXPRESSION = /\$\{\{\s*(.*?)\s*\}\}/g;

interface StepScope {
  secretNames: readonly string[];
}

/** Reads the job that prepares the environment of GitHub's coding agent: its `run` steps and its tools. */
export function readCopilotSetupSteps(
  path: string,
  text: string,
  { secretNames }: StepScope,
): EnvironmentSource {
  let workflow: Record<string, unknown>;
  try {
    workflow = recordOf(parse(text, { merge: true }));
  } catch {
    return unreadableSource(path, 'it is not valid YAML');
  }
  const job = recordOf(recordOf(workflow['jobs'])[JOB]);
  const list: unknown = job['steps'];
  if (!Array.isArray(list)) return unreadableSource(path, `it has no job “${JOB}” with steps`);
  const rows: EnvironmentRow[] = [];
  const steps: EnvironmentStep[] = [];
  const tools: ToolRequest[] = [];
  const variables = valuesOf(
    { ...recordOf(workflow['env']), ...recordOf(job['env']) },
    secretNames,
  );
  for (const [name, why] of Object.entries(variables.missing)) rows.push(notApplied(name, why));
  for (const [index, one] of list.entries()) {
    const step = recordOf(one);
    const item = `step “${textOf(step['name']) ?? textOf(step['uses']) ?? `${index + 1}`}”`;
    const why = whySkipped(step);
    if (why !== null) rows.push(notApplied(item, why));
    else if (textOf(step['run']) === null) rows.push(readAction(step, item, tools));
    else {
      const read = readRun(step, secretNames);
      if (read.line === null) rows.push(notApplied(item, read.why));
      else {
        steps.push({ phase: 'create', item, commands: [{ name: null, line: read.line }] });
        rows.push(applied(item, 'in the setup'));
      }
    }
  }
  const services = readServices(job['services'], secretNames);
  if (textOf(job['container']) !== null || Object.keys(recordOf(job['container'])).length > 0)
    rows.push(notApplied('container', 'no container starts'));
  return {
    ...emptySource(path),
    steps,
    tools,
    environment: variables.values,
    services: services.services,
    rows: [...rows, ...services.rows],
  };
}

function whySkipped(step: Record<string, unknown>): string | null {
  const condition = scalarOf(step['if']);
  if (
    condition === null ||
    /^(?:\$\{\{)?\s*(?:always\(\)|success\(\)|true)\s*(?:\}\})?$/.test(condition)
  )
    return null;
  return `its condition (${condition}) is known only to GitHub`;
}

function readAction(
  step: Record<string, unknown>,
  item: string,
  tools: ToolRequest[],
): EnvironmentRow {
  const [action = '', ref = ''] = (textOf(step['uses']) ?? '').split('@');
  if (action === 'actions/checkout') return applied(item, 'the repository is there already');
  if (action === 'actions/cache') return applied(item, 'Ship keeps the result of a setup');
  const known = TOOL_OF_ACTION[action];
  if (known === undefined) return notApplied(item, `the action ${action} runs only at GitHub`);
  const [tool, input] = known;
  const inputs = recordOf(step['with']);
  const written = scalarOf(inputs[input]) ?? (tool === 'rust' ? ref : null);
  const version = written !== null && /\d/.test(written) && !written.includes('$') ? written : null;
  tools.push({ tool, version, item });
  return applied(item, `the sandbox’s own ${tool} is used`);
}

/** A line that behaves like GitHub's runner: it runs in the step's folder and stops at the first command that fails. */
function readRun(
  step: Record<string, unknown>,
  secretNames: readonly string[],
): { line: string } | { line: null; why: string } {
  const script = textOf(step['run']) ?? '';
  const shell = textOf(step['shell']);
  if (shell !== null && !/^(?:bash|sh)\b/.test(shell)) return { line: null, why: `shell ${shell}` };
  const own = valuesOf(recordOf(step['env']), secretNames);
  const [missing] = Object.values(own.missing);
  if (missing !== undefined) return { line: null, why: missing };
  if (/\$\{\{/.test(script))
    return { line: null, why: 'it has an expression that only GitHub can evaluate' };
  if (/\bGITHUB_(?:ENV|PATH|OUTPUT)\b/.test(script))
    return { line: null, why: 'it writes to a file that only GitHub’s runner has' };
  const exports = Object.entries(own.values).map(
    ([name, parts]) => `export ${name}=${shellWord(parts)}`,
  );
  const folder = textOf(step['working-directory']);
  const cd = folder === null ? [] : [`cd -- ${shellWord([folder])}`];
  return { line: ['set -eo pipefail', ...exports, ...cd, script].join('\n') };
}

/** Turns `${{ secrets.X }}` into a reference to the repository's secret X; other expressions are not evaluated. */
function valuesOf(env: Record<string, unknown>, secretNames: readonly string[]) {
  const values: Record<string, ValuePart[]> = {};
  const missing: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const text = scalarOf(value) ?? '';
    const parts: ValuePart[] = [];
    let end = 0;
    for (const match of text.matchAll(EXPRESSION)) {
      const [whole, expression = ''] = match;
      const [, secret] = /^(?:secrets|vars)\.(\w+)$/.exec(expression) ?? [];
      if (secret === undefined) missing[name] = `${expression} is known only to GitHub`;
      else if (!secretNames.includes(secret))
        missing[name] = `add ${secret} to the repository’s secrets`;
      else parts.push(text.slice(end, match.index), { variable: secret, fallback: '' });
      end = match.index + whole.length;
    }
    if (missing[name] === undefined)
      values[name] = [...parts, text.slice(end)].filter((part) => part !== '');
  }
  return { values, missing };
}
