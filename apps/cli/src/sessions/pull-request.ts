import type { MergeMethod, SessionId } from '@ship/protocol';
import type { ShipClient } from '@ship/protocol/client';
import { findSession } from '../client/find-session.ts';
import { type TalkOptions, withServer } from '../client/with-server.ts';
import { Failure } from '../failure.ts';
import { diffText, paintDiff } from '../progress/diff.ts';
import { oneLine } from '../progress/text.ts';

type Act = (client: ShipClient, sessionId: SessionId) => Promise<unknown>;

export function showPullRequest(session: string | undefined, options: TalkOptions): Promise<void> {
  return afterwards(session, options, async () => undefined);
}

export function markReady(session: string | undefined, options: TalkOptions): Promise<void> {
  return afterwards(session, options, (client, sessionId) => client.markReady(sessionId));
}

export function merge(
  session: string | undefined,
  options: TalkOptions & { method: MergeMethod },
): Promise<void> {
  const { method } = options;
  return afterwards(session, options, async (client, sessionId) => {
    const { headSha } = (await client.pullRequest(sessionId)).pullRequest;
    return client.merge(sessionId, { method, headSha });
  });
}

export async function showDiff(session: string | undefined, options: TalkOptions): Promise<void> {
  const diff = await withServer(options, async ({ client }) =>
    client.diff(await findSession(client, session)),
  );
  const text = options.json === true ? `${JSON.stringify(diff)}\n` : paintDiff(diffText(diff));
  process.stdout.write(text);
}

/** Does something with the pull request, then says how it is. */
async function afterwards(
  session: string | undefined,
  options: TalkOptions,
  act: Act,
): Promise<void> {
  const pullRequest = await withServer(options, async ({ client }) => {
    const sessionId = await findSession(client, session);
    await act(client, sessionId);
    return (await client.session(sessionId)).state.git.pullRequest;
  });
  if (pullRequest === null)
    throw new Failure(
      'this session has no pull request yet',
      'It comes with the first commit: ship logs -f shows how far it is.',
    );
  if (options.json === true) process.stdout.write(`${JSON.stringify(pullRequest)}\n`);
  else {
    const { number, title, state, draft, url } = pullRequest;
    const how = state === 'open' && draft ? 'draft' : state;
    process.stdout.write(`#${number} ${oneLine(title, 120)} (${how})\n${url}\n`);
  }
}
