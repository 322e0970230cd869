/** Verbs that change a whole session. Irreversible ones never guess which session is meant. */
import type { BaseUpdate, SessionId, SessionSummary } from '@ship/protocol';
import type { ShipClient } from '@ship/protocol/client';
import {
  type Destructive,
  chooseSession,
  findSession,
  requireSessionId,
} from '../client/find-session.ts';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { finish } from './finish.ts';
import { waitForSession } from './wait.ts';

export interface WaitOptions extends ClientOptions {
  wait?: boolean;
  allowFailingTests?: boolean;
}

const isOpen = ({ status }: SessionSummary) => status !== 'closed';
const isBusy = ({ status }: SessionSummary) =>
  status !== 'closed' && status !== 'idle' && status !== 'failed';

/** `ship retry` and `ship continue`: retries after a failure, or continues after a limit. */
export async function retrySession(
  session: string | undefined,
  options: WaitOptions,
): Promise<void> {
  const startedAtMs = Date.now();
  const json = options.json ?? false;
  await withServer(options, async (server) => {
    const sessionId = await findSession(server.client, session);
    const receipt = await server.client.retry(sessionId);
    if (options.wait === true || server.isTemporary) {
      const result = await waitForSession({ server, sessionId, json, startedAtMs });
      finish(result, json, server, options);
    } else print(options, receipt, `retrying ${sessionId}`);
  });
}

export async function updateSession(
  session: string | undefined,
  options: ClientOptions,
): Promise<void> {
  const updated = await withServer(options, async ({ client }) =>
    client.updateFromBase(await findSession(client, session)),
  );
  print(options, updated, describeUpdate(updated));
}

export async function stopSession(
  session: string | undefined,
  options: ClientOptions & { all?: boolean },
): Promise<void> {
  const { all: clearQueue = false } = options;
  const receipt = await change(session, options, { verb: 'stop', accepts: isBusy }, (client, id) =>
    client.stop(id, { clearQueue }),
  );
  print(options, receipt, `stopping ${receipt.sessionId}`);
}

export async function closeSession(
  session: string | undefined,
  options: ClientOptions,
): Promise<void> {
  const receipt = await change(session, options, { verb: 'close', accepts: isOpen }, (client, id) =>
    client.closeSession(id),
  );
  print(options, receipt, `closed ${receipt.sessionId}`);
}

export async function deleteSession(
  session: string | undefined,
  options: ClientOptions,
): Promise<void> {
  const destructive = { verb: 'delete', accepts: () => true };
  const deleted = await change(session, options, destructive, async (client, sessionId) => {
    await client.deleteSession(sessionId);
    return { sessionId };
  });
  print(options, deleted, `deleted ${deleted.sessionId}`);
}

async function change<Answer>(
  session: string | undefined,
  options: ClientOptions,
  destructive: Destructive,
  act: (client: ShipClient, sessionId: SessionId) => Promise<Answer>,
): Promise<Answer> {
  requireSessionId(session, destructive);
  return withServer(options, async ({ client }) =>
    act(client, await chooseSession(client, session, destructive)),
  );
}

function describeUpdate({ sessionId, outcome, files }: BaseUpdate): string {
  switch (outcome) {
    case 'up-to-date':
      return `already up to date ${sessionId}`;
    case 'merged':
      return `updated ${sessionId}`;
    case 'conflicted':
      return `conflicts in ${files.join(', ')}: the agent resolves them in ${sessionId}`;
  }
}

function print(options: ClientOptions, answer: unknown, text: string): void {
  process.stdout.write(`${options.json === true ? JSON.stringify(answer) : text}\n`);
}
