import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckStep, EnvironmentCheck } from '@ship/protocol';
import { type Server, withServer } from '../client/with-server.ts';
import { duration, oneLine } from '../progress/text.ts';
import { toolText } from '../sessions/repositories.ts';
import { repositoryLocation } from '../sessions/repository.ts';

const POLL_INTERVAL_MS = 500;
const MAX_OUTPUT = 2_000;

const MARKS: Readonly<Record<CheckStep['status'], string>> = {
  running: '…',
  ok: '✓',
  failed: '✗',
  unavailable: '!',
  skipped: '–',
};

interface CheckOptions {
  url?: string;
  data: string;
  base?: string;
  json?: boolean;
}

/** Sets a repository up in a sandbox and runs its tests, without an agent. Exit code 1 when a step failed. */
export async function checkRepository(given: string, options: CheckOptions): Promise<void> {
  const repository = repositoryLocation(given);
  const check = await withServer(options, async ({ client }) => {
    const { checkId } = await client.environment.startCheck({
      repository,
      base: options.base ?? null,
    });
    return untilEnded(client, checkId, options.json === true ? () => undefined : stepPrinter());
  });
  process.stdout.write(options.json === true ? `${JSON.stringify(check)}\n` : checkText(check));
  if (check.status !== 'passed') process.exitCode = 1;
}

async function untilEnded(
  client: Server['client'],
  checkId: EnvironmentCheck['checkId'],
  onUpdate: (check: EnvironmentCheck) => void,
): Promise<EnvironmentCheck> {
  for (;;) {
    const check = await client.environment.check(checkId);
    onUpdate(check);
    if (check.status !== 'running') return check;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Prints the running step to stderr; stdout is for the table. */
function stepPrinter(): (check: EnvironmentCheck) => void {
  let printed = 0;
  return ({ steps }) => {
    for (const { name, command } of steps.slice(printed))
      process.stderr.write(
        `ship: ${name}${command === null ? '' : `: ${oneLine(command, 100)}`}\n`,
      );
    printed = steps.length;
  };
}

export function checkText(check: EnvironmentCheck): string {
  const { steps, plan, status, output, error } = check;
  const detected = [
    ...(plan?.install.map(({ source, command }) => ['detected', source, command]) ?? []),
    ...verifyRows(plan?.verify ?? null),
  ];
  const tools = (plan?.toolchains ?? []).map((need) => [
    need.status === 'present' ? 'applied' : need.status.replace('-', ' '),
    toolText(need),
    [need.found, need.advice].filter((one) => one !== null).join(': '),
  ]);
  const described = (plan?.described ?? []).map(({ file, item, applied, why }) => [
    applied ? 'applied' : 'not applied',
    `${file}: ${item}`,
    why,
  ]);
  const rows = steps.map(({ status: how, name, durationMs, command, detail }) => [
    MARKS[how],
    `${name}${durationMs === null ? '' : ` (${duration(durationMs)})`}`,
    [command, detail].filter((one) => one !== null).join(' → '),
  ]);
  const isBad = status !== 'passed';
  return [
    table([...detected, ...tools]),
    table(described),
    table(rows),
    ...(isBad && output.trim() !== '' ? [output.trim().slice(-MAX_OUTPUT)] : []),
    ...(error === null ? [] : [`${error.message} ${error.remedy}`]),
    isBad
      ? `The repository is not ready: see the steps marked ✗ or !.${hint(check)}`
      : 'The repository is ready.',
  ]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('\n');
}

/** Suggests a setup only for a repository that can be cloned. */
const hint = ({ steps, plan, repository }: EnvironmentCheck): string =>
  plan !== null && steps.some(({ status }) => status === 'failed')
    ? `\nship setup --repo ${repository} lets an agent write a setup that works.`
    : '';

const verifyRows = (verify: NonNullable<EnvironmentCheck['plan']>['verify']) =>
  verify === null ? [] : [['detected', verify.source, verify.command]];

function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const width = (column: number) => Math.max(...rows.map((row) => (row[column] ?? '').length));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? oneLine(cell, 200) : cell.padEnd(width(column)),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
