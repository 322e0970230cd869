import type { SetupName } from '@ship/protocol';
import { type TalkOptions, withServer } from '../client/with-server.ts';
import { duration, oneLine } from '../progress/text.ts';

export async function listSetups(options: TalkOptions): Promise<void> {
  const list = await withServer(options, ({ client }) => client.setups());
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(list)}\n`);
    return;
  }
  const nowMs = Date.now();
  for (const { name, repository, base, baseSha, command, madeAt, usedAt } of list.setups) {
    const place = base === '' ? repository : `${repository} (${base})`;
    const commit =
      baseSha === '' ? 'made by an older Ship, not used' : `from ${baseSha.slice(0, 10)}`;
    const ages = `made ${duration(nowMs - madeAt)} ago, used ${duration(nowMs - usedAt)} ago`;
    process.stdout.write(`${name}  ${place}  ${commit}, ${ages}: ${oneLine(command, 100)}\n`);
  }
}

export async function removeSetup(name: SetupName, options: TalkOptions): Promise<void> {
  const removed = await withServer(options, ({ client }) => client.removeSetup(name));
  process.stdout.write(
    `${options.json === true ? JSON.stringify(removed) : `deleted ${removed.name}`}\n`,
  );
}
