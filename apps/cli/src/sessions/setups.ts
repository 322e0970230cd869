import type { SetupName } from '@ship/protocol';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { duration, oneLine } from '../progress/text.ts';

export async function listSetups(options: ClientOptions): Promise<void> {
  const list = await withServer(options, ({ client }) => client.setups());
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(list)}\n`);
    return;
  }
  const nowMs = Date.now();
  for (const { name, repository, base, baseSha, command, madeAt, usedAt } of list.setups) {
    const source = base === '' ? repository : `${repository} (${base})`;
    const commit =
      baseSha === '' ? 'of an older version of Ship, not used' : `from ${baseSha.slice(0, 10)}`;
    const ages = `created ${duration(nowMs - madeAt)} ago, used ${duration(nowMs - usedAt)} ago`;
    process.stdout.write(`${name}  ${source}  ${commit}, ${ages}: ${oneLine(command, 100)}\n`);
  }
}

export async function removeSetup(name: SetupName, options: ClientOptions): Promise<void> {
  const removed = await withServer(options, ({ client }) => client.removeSetup(name));
  process.stdout.write(
    `${options.json === true ? JSON.stringify(removed) : `deleted ${removed.name}`}\n`,
  );
}
