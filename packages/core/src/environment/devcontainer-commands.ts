import { type VariableScope, expandVariables } from './devcontainer-variables.ts';
import { shellLine, shellWord } from './shell-text.ts';
import {
  type CommandPhase,
  type EnvironmentRow,
  type EnvironmentStep,
  type NamedCommand,
  SETUP_PHASES,
  applied,
  notApplied,
} from './source.ts';
import { textOf } from './untyped.ts';

const PHASES: Readonly<Record<string, CommandPhase>> = {
  onCreateCommand: 'create',
  updateContentCommand: 'update',
  postCreateCommand: 'postCreate',
  postStartCommand: 'start',
  postAttachCommand: 'attach',
};

interface LifecycleCommands {
  steps: EnvironmentStep[];
  waitFor: CommandPhase;
  rows: EnvironmentRow[];
}

/** Reads the lifecycle commands in the order in which they run, not in the order of the file. */
export function readLifecycle(
  file: Record<string, unknown>,
  scope: VariableScope,
): LifecycleCommands {
  const steps: EnvironmentStep[] = [];
  const rows: EnvironmentRow[] = [];
  const waitFor = PHASES[textOf(file['waitFor']) ?? ''] ?? 'postCreate';
  const waited = SETUP_PHASES.slice(0, SETUP_PHASES.findIndex((phase) => phase === waitFor) + 1);
  for (const [item, phase] of Object.entries(PHASES)) {
    if (file[item] === undefined || file[item] === null) continue;
    const commands = commandsOf(file[item], scope);
    if (commands.length === 0) {
      rows.push(notApplied(item, 'neither a line, nor words, nor commands by name'));
      continue;
    }
    steps.push({ phase, item, commands });
    rows.push(applied(item, whenOf(phase, waited, commands.length)), ...warnings(item, commands));
  }
  if (file['initializeCommand'] !== undefined)
    rows.push(notApplied('initializeCommand', 'it is for the host, and Ship runs nothing there'));
  const named = file['waitFor'];
  if (named !== undefined) rows.push(waitForRow(named));
  return { steps, waitFor, rows };
}

function waitForRow(value: unknown): EnvironmentRow {
  const name = textOf(value) ?? '';
  return PHASES[name] === undefined
    ? notApplied('waitFor', 'names no command that runs here; the agent waits for the whole setup')
    : applied('waitFor', `the agent waits until ${name} has ended`);
}

function whenOf(phase: CommandPhase, waited: readonly CommandPhase[], count: number): string {
  const how = count === 1 ? '' : `${count} commands in parallel, `;
  if (phase === 'start' || phase === 'attach')
    return `${how}at every start of the sandbox, in the background`;
  const isLater = waited.length > 0 && !waited.includes(phase);
  return isLater ? `${how}in the background: waitFor names an earlier one` : `${how}in the setup`;
}

/** A string is a shell line, an array is one command's arguments, an object has named commands that run in parallel. */
function commandsOf(value: unknown, scope: VariableScope): NamedCommand[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([name, one]) => {
      const line = lineOf(one, scope);
      return line === null ? [] : [{ name, line }];
    });
  }
  const line = lineOf(value, scope);
  return line === null ? [] : [{ name: null, line }];
}

function lineOf(value: unknown, scope: VariableScope): string | null {
  if (typeof value === 'string')
    return value.trim() === '' ? null : shellLine(expandVariables(value, scope).parts);
  if (!Array.isArray(value) || value.length === 0) return null;
  const words: unknown[] = value;
  if (!words.every((word) => typeof word === 'string')) return null;
  return words.map((word) => shellWord(expandVariables(word, scope).parts)).join(' ');
}

/** Names the usual reasons for a failure before the command fails. */
function warnings(item: string, commands: readonly NamedCommand[]): EnvironmentRow[] {
  const text = commands.map(({ line }) => line).join('\n');
  const rows: EnvironmentRow[] = [];
  if (/\bdocker(?:-compose)?\s/.test(text))
    rows.push(notApplied(`${item}: docker`, 'a sandbox has no container engine'));
  if (/(?:^|[\s='"])\/workspaces?\//.test(text))
    rows.push(notApplied(`${item}: /workspace`, 'the repository has another path in a sandbox'));
  return rows;
}
