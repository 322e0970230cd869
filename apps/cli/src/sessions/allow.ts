import { withEntry } from '@ship/core';
import { type ClientOptions, withServer } from '../client/with-server.ts';

/** More sessions than can work concurrently. */
const MAX_SESSIONS = 100;

/** Adds an entry to the allow-list, and applies it to the sandboxes of working sessions. */
export async function allowHost(entry: string, options: ClientOptions): Promise<void> {
  const { allow, applied } = await withServer(options, async ({ client }) => {
    const { egress } = await client.settings();
    const changed = await client.changeSettings({
      egress: { allow: withEntry(egress.allow, entry) },
    });
    const { sessions } = await client.sessions({ status: ['working'], limit: MAX_SESSIONS });
    const results = await Promise.allSettled(
      sessions.map(({ sessionId }) => client.changeSandbox(sessionId, 'network')),
    );
    const done = results.filter(({ status }) => status === 'fulfilled');
    return { allow: changed.egress.allow, applied: done.length };
  });
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ allow, applied })}\n`);
    return;
  }
  const now = applied === 0 ? '' : ` (${applied} running: now)`;
  process.stdout.write(`allowed ${entry} for every sandbox from its next turn on${now}\n`);
}
