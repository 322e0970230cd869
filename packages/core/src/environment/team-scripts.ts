import { servicesScript, stopServicesScript } from './native-servers.ts';
import type { TeamEnvironment } from './team-environment.ts';
import { shellQuote, shellWord } from './shell-text.ts';
import type { EnvironmentStep } from './source.ts';

/** Runs the commands of one step: one as it is, several in parallel with their names before what they print. */
const STEP_FUNCTION = `ship_folder=$PWD
ship_run() { bash -c "$1"; }
ship_step() {
  local item=$1 code=0 one i
  local -a pids=() names=()
  shift
  printf '\\n==> %s\\n' "$item"
  if [ $# -eq 2 ]; then bash -c "$2" || code=$?
  else
    while [ $# -gt 0 ]; do
      ( set -o pipefail; bash -c "$2" 2>&1 | sed -u "s/^/[$1] /" ) &
      pids+=($!) names+=("$1")
      shift 2
    done
    for i in "\${!pids[@]}"; do
      wait "\${pids[$i]}" || { one=$?; code=$one; printf '==> %s: %s ended with exit code %s\\n' "$item" "\${names[$i]}" "$one"; }
    done
  fi
  [ "$code" -eq 0 ] || printf '==> %s ended with exit code %s\\n' "$item" "$code"
  return "$code"
}`;

type Described = Pick<TeamEnvironment, 'environment'>;

/**
 * Variables for every shell of the repository: sourced once in a tree of processes, so that a value built from itself does
 * not grow, and a script's own change of it lasts. It has no value of a secret, only names.
 */
export function environmentScript({ environment }: Described): string {
  const lines = Object.entries(environment).map(([name, parts]) =>
    parts === null ? `unset ${name}` : `export ${name}=${shellWord(parts)}`,
  );
  if (lines.length === 0) return '';
  return `if [ -z "\${SHIP_ENVIRONMENT:-}" ]; then
export SHIP_ENVIRONMENT=1
${lines.join('\n')}
fi`;
}

/** Puts a command of the repository, such as its tests, into the environment that its files describe. */
export function inEnvironment(plan: Described, command: string): string {
  const script = environmentScript(plan);
  return script === '' ? command : `${script}\n${command}`;
}

type Runnable = Pick<
  TeamEnvironment,
  'environment' | 'workingDirectory' | 'services' | 'setup' | 'late' | 'start'
>;

/**
 * The setup: services first, as migrations need them, then `commands` one after the other until one fails. Afterwards the
 * services stop, so that their files may be kept; `startScript` starts them again.
 */
export function setupScript(plan: Runnable, commands: readonly string[]): string {
  const services = servicesScript(plan.services);
  return joined(
    environmentScript(plan),
    services,
    services === '' ? '' : '[ "$ship_code" -eq 0 ] || exit 1',
    STEP_FUNCTION,
    'ship_setup() {',
    ...commands.map((command) => `${command} || return`),
    'return 0',
    '}',
    'ship_setup; ship_result=$?',
    stopServicesScript(plan.services),
    'exit "$ship_result"',
  );
}

/** The steps of the plan as commands for `setupScript`. */
export function stepCommands(plan: Runnable, steps: readonly EnvironmentStep[]): string[] {
  const folder = plan.workingDirectory;
  const enter = folder === null ? [] : [`cd -- "$ship_folder"/${shellQuote(folder)}`];
  return [
    ...enter,
    ...steps.map(({ item, commands }) => {
      const words = commands.flatMap(({ name, line }) => [
        (name ?? 'command').replaceAll(/[^A-Za-z0-9_.-]/g, '-'),
        shellQuote(line),
      ]);
      return `ship_step ${shellQuote(item)} ${words.join(' ')}`;
    }),
  ];
}

/** What runs in the background at every start of a sandbox; empty when there is nothing. */
export function startScript(plan: Runnable): string {
  const { late, start } = plan;
  if (late.length === 0 && start.length === 0) return '';
  const once = stepCommands(plan, late);
  return joined(
    environmentScript(plan),
    STEP_FUNCTION,
    // A failure stops the rest, here as in the setup. What prepares the sandbox runs only at its first start.
    'ship_start() {',
    ...(late.length === 0
      ? []
      : [
          `if [ ! -e /tmp/ship-prepared ]; then ${once.map((one) => `${one} || return`).join('; ')}; touch /tmp/ship-prepared; fi`,
        ]),
    ...stepCommands(plan, start).map((one) => `${one} || return`),
    '}',
    'ship_start',
  );
}

const joined = (...lines: readonly string[]): string =>
  lines.filter((line) => line !== '').join('\n');
