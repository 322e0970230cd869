import type { RepositoryEdit, RepositoryPlan, ToolchainNeed } from '@ship/protocol';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { Failure } from '../failure.ts';
import { repositoryLocation } from './repository.ts';

type Choice = 'on' | 'off' | 'default';

export interface RepositoryChange {
  setup?: string;
  verify?: string;
  install?: Choice;
  installScripts?: Choice;
}

export async function showRepository(
  given: string,
  options: ClientOptions & { base?: string },
): Promise<void> {
  const location = repositoryLocation(given);
  const { base } = options;
  const plan = await withServer(options, ({ client }) =>
    client.environment.plan({ location, ...(base === undefined ? {} : { base }) }),
  );
  process.stdout.write(options.json === true ? `${JSON.stringify(plan)}\n` : planText(plan));
}

export async function changeRepository(
  given: string,
  options: ClientOptions & RepositoryChange,
): Promise<void> {
  const location = repositoryLocation(given);
  const edit = editOf(options);
  if (Object.keys(edit).length === 0)
    throw new Failure(
      'nothing to change',
      'Give --setup, --verify, --install or --install-scripts.',
      2,
    );
  const saved = await withServer(options, async ({ client }) => {
    const { repositories } = await client.repositories();
    const known = repositories.find((one) => keyOf(one.location) === keyOf(location));
    return known === undefined
      ? client.addRepository({ location, ...edit })
      : client.editRepository(known.repositoryId, edit);
  });
  process.stdout.write(
    `${options.json === true ? JSON.stringify(saved) : `saved ${saved.name}`}\n`,
  );
}

/** Normalizes a location as the server does. */
const keyOf = (location: string): string => location.replace(/\/+$/, '').replace(/\.git$/, '');

function editOf({ setup, verify, install, installScripts }: RepositoryChange): RepositoryEdit {
  return {
    ...(setup === undefined ? {} : { setupCommand: setup.trim() || null }),
    ...(verify === undefined ? {} : { verifyCommand: verify.trim() || null }),
    ...(install === undefined ? {} : { installDependencies: valueOf(install) }),
    ...(installScripts === undefined ? {} : { installScripts: valueOf(installScripts) }),
  };
}

const valueOf = (choice: Choice): boolean | null => (choice === 'default' ? null : choice === 'on');

function planText({ location, base, lines, isInstallOn, plan }: RepositoryPlan): string {
  const all = [
    `${location} (${base})`,
    ...lines.map((line) => `  ${line}`),
    ...(isInstallOn ? [] : ['  dependencies are not installed: the setting is off']),
    ...plan.toolchains.map((need) => `  needs ${toolText(need)}`),
    ...plan.notes.map((note) => `  ${note}`),
  ];
  return `${all.join('\n')}\n`;
}

export function toolText({ tool, wanted, source }: ToolchainNeed): string {
  return `${tool}${wanted === null ? '' : ` ${wanted}`} (${source})`;
}
