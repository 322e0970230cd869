import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckStep, EnvironmentCheck } from '@ship/protocol';
import { type Server, withServer } from '../client/with-server.ts';
import { duration, oneLine } from '../progress/text.ts';
import { toolText } from '../sessions/repositories.ts';
import { repositoryLocation } from '../sessions/repository.ts';

const LOOK_MS = 500;
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
    return ended(client, checkId, options.json === true ? () => undefined : tellSteps());
  });
  process.stdout.write(options.json === true ? `${JSON.stringify(check)}\n` : checkText(check));
  if (check.status !== 'passed') process.exitCode = 1;
}

async function ended(
  client: Server['client'],
  checkId: EnvironmentCheck['checkId'],
  tell: (check: EnvironmentCheck) => void,
): Promise<EnvironmentCheck> {
  for (;;) {
    const check = await client.environment.check(checkId);
    tell(check);
    if (check.status !== 'running') return check;
    await sleep(LOOK_MS);
  }
}

/** Which step runs, on the error stream: the table is for the other one. */
function tellSteps(): (check: EnvironmentCheck) => void {
  let told = 0;
  return ({ steps }) => {
    for (const { name, command } of steps.slice(told))
      process.stderr.write(
        `ship: ${name}${command === null ? '' : `: ${oneLine(command, 100)}`}\n`,
      );
    told = steps.length;
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

/** A repository that cannot be cloned gains nothing from a setup. */
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
