import { servicesScript, stopServicesScript } from './native-servers.ts';
import type { TeamEnvironment } from './team-environment.ts';
import { shellQuote, shellWord } from './shell-text.ts';
import type { EnvironmentStep } from './source.ts';

/** Runs the commands of one step: a single one directly, several in parallel with their names before each line. */
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
 * Variables for every shell of the repository. A process tree sources them once: otherwise `PATH=$PATH:…` would grow, and a
 * script's own change would be undone. The script contains names of secrets, never values.
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

/** Prefixes a command of the repository, such as its tests, with the environment that its files describe. */
export function inEnvironment(plan: Described, command: string): string {
  const script = environmentScript(plan);
  return script === '' ? command : `${script}\n${command}`;
}

type Runnable = Pick<
  TeamEnvironment,
  'environment' | 'workingDirectory' | 'services' | 'setup' | 'late' | 'start'
>;

/**
 * The setup: it starts the services first, as migrations need them, then runs `commands` one after the other until one fails.
 * Finally it stops the services, so that their files can be kept; `startScript` starts them again.
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

/** The background commands of every sandbox start; empty without any. */
export function startScript(plan: Runnable): string {
  const { late, start } = plan;
  if (late.length === 0 && start.length === 0) return '';
  const once = stepCommands(plan, late);
  return joined(
    environmentScript(plan),
    STEP_FUNCTION,
    // A failure stops the rest, as in the setup. Late setup steps run only at the sandbox's first start.
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
