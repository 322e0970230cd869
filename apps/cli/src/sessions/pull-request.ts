import { type MergeMethod, type SessionId, type SessionState, ShipFailure } from '@ship/protocol';
import type { ShipClient } from '@ship/protocol/client';
import {
  type Destructive,
  chooseSession,
  findSession,
  requireSessionId,
} from '../client/find-session.ts';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { Failure } from '../failure.ts';
import { diffText, paintDiff, withoutControls } from '../progress/diff.ts';
import { oneLine } from '../progress/text.ts';

type PullRequestHead = Pick<
  NonNullable<SessionState['git']['pullRequest']>,
  'number' | 'title' | 'state' | 'draft' | 'url'
>;
type Act = (client: ShipClient, sessionId: SessionId) => Promise<unknown>;

/** `ship pr show`: the forge's current state with the description; if the forge does not answer, Ship's own state. */
export async function showPullRequest(
  session: string | undefined,
  options: ClientOptions,
): Promise<void> {
  const { known, view } = await withServer(options, async ({ client }) => {
    const sessionId = await findSession(client, session);
    const { pullRequest } = (await client.session(sessionId)).state.git;
    if (pullRequest === null) throw noPullRequest();
    return {
      known: pullRequest,
      view: await client.pullRequest(sessionId).catch(nullIfUnavailable),
    };
  });
  const shown = { ...known, ...view?.pullRequest, body: view?.pullRequest.body ?? null };
  if (options.json === true)
    process.stdout.write(`${JSON.stringify({ ...shown, checks: view?.checks ?? null })}\n`);
  else process.stdout.write(`${headLines(shown)}${bodyText(shown.body)}`);
}

/** A forge that does not answer must not hide Ship's own state. */
function nullIfUnavailable(error: unknown): null {
  if (error instanceof ShipFailure) return null;
  throw error;
}

function headLines({ number, title, state, draft, url }: PullRequestHead): string {
  const how = state === 'open' && draft ? 'draft' : state;
  return `#${number} ${oneLine(title, 120)} (${how})\n${url}\n`;
}

function bodyText(body: string | null): string {
  if (body === null) return 'The forge does not answer, so the description is not shown.\n';
  // Markers of the generated part are for programs only.
  const text = body.replaceAll(/<!-- ship:(start|end) -->\n?/g, '').trim();
  return text === '' ? '' : `\n${withoutControls(text)}\n`;
}

export function markReady(session: string | undefined, options: ClientOptions): Promise<void> {
  return actAndPrint(session, options, findSession, (client, sessionId) =>
    client.markReady(sessionId),
  );
}

export function merge(
  session: string | undefined,
  options: ClientOptions & { method: MergeMethod },
): Promise<void> {
  const { method } = options;
  requireSessionId(session, MERGE);
  return actAndPrint(session, options, chooseToMerge, async (client, sessionId) => {
    const { headSha } = (await client.pullRequest(sessionId)).pullRequest;
    return client.merge(sessionId, { method, headSha });
  });
}

export async function showDiff(session: string | undefined, options: ClientOptions): Promise<void> {
  const diff = await withServer(options, async ({ client }) =>
    client.diff(await findSession(client, session)),
  );
  const text = options.json === true ? `${JSON.stringify(diff)}\n` : paintDiff(diffText(diff));
  process.stdout.write(text);
}

/** Acts on the pull request, then prints its state. */
async function actAndPrint(
  session: string | undefined,
  options: ClientOptions,
  find: typeof findSession,
  act: Act,
): Promise<void> {
  const pullRequest = await withServer(options, async ({ client }) => {
    const sessionId = await find(client, session);
    await act(client, sessionId);
    return (await client.session(sessionId)).state.git.pullRequest;
  });
  if (pullRequest === null) throw noPullRequest();
  process.stdout.write(
    options.json === true ? `${JSON.stringify(pullRequest)}\n` : headLines(pullRequest),
  );
}

const MERGE: Destructive = {
  verb: 'pr merge',
  accepts: ({ pullRequest }) => pullRequest?.state === 'open',
};

const chooseToMerge = (client: ShipClient, session: string | undefined) =>
  chooseSession(client, session, MERGE);

function noPullRequest(): Failure {
  return new Failure(
    'this session has no pull request yet',
    'Ship opens it with the first commit: ship logs -f shows the progress.',
  );
}
