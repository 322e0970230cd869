import type { GitClaims } from './capability.ts';
import { GuardedBody, LIMITS } from './guarded-body.ts';
import { maySee } from './push-commands.ts';
import { RefScreen, screenedBody } from './ref-screen.ts';
import { refusal } from './refusal.ts';
import type { ShownObjects } from './shown-objects.ts';
import { FetchRefused, WantScreen, refusedFetch } from './want-screen.ts';

interface FetchDeps {
  claims: GitClaims;
  shown: ShownObjects;
  /** Forwards the request. */
  send: (body: GuardedBody) => Promise<Response>;
  /** A new list of all refs, in version 0 of the protocol. */
  list: () => Promise<Response>;
}

/** Forwards a fetch if a list of the refs that this session may see has each object that it wants. */
export async function admitFetch(
  { body: sent, headers }: Request,
  { claims, shown, send, list }: FetchDeps,
): Promise<Response> {
  const plain = plainBody(sent, headers.get('content-encoding'));
  if (plain === undefined) {
    await sent?.cancel();
    return refusal(415, 'Ship: this compression is not accepted.');
  }
  const key = shownKey(claims);
  let listed: Promise<ReadonlySet<string>> | undefined;
  const screen = new WantScreen(async (object) => {
    if (shown.has(key, object)) return true;
    // Once per request: another process may have listed them for this session.
    listed ??= tipsIn(list, claims);
    return (await listed).has(object);
  });
  const body = new GuardedBody(plain, { maxBytes: LIMITS.fetchRequestBytes, screen });
  const answer = await send(body);
  if (body.problem instanceof FetchRefused) {
    await answer.body?.cancel();
    return refusedFetch(body.problem);
  }
  const note = (object: string) => {
    if (screen.isLsRefs) shown.add(key, object);
  };
  return screenedAnswer(answer, claims, note);
}

export const shownKey = ({ sessionId, repository }: GitClaims): string =>
  `${sessionId} ${repository.forge} ${repository.owner}/${repository.name}`;

/** Removes checkpoints of other sessions. */
export function screenedAnswer(
  answer: Response,
  claims: GitClaims,
  onShown?: (object: string) => void,
): Response {
  const { status, headers, body } = answer;
  if (!answer.ok || body === null) return answer;
  const refs = new RefScreen((ref) => maySee(ref, claims), onShown);
  return new Response(screenedBody(body, refs), { status, headers });
}

/** git compresses lists of more than a kilobyte. Compressed content cannot be checked, so it is forwarded uncompressed. */
function plainBody(body: Request['body'], encoding: string | null) {
  if (encoding === null || body === null) return body;
  return encoding === 'gzip' ? body.pipeThrough(new DecompressionStream('gzip')) : undefined;
}

async function tipsIn(
  list: () => Promise<Response>,
  claims: GitClaims,
): Promise<ReadonlySet<string>> {
  const tips = new Set<string>();
  const answer = await list();
  if (!answer.ok) throw new Error('The forge gave no list of refs.');
  const { body } = screenedAnswer(answer, claims, (object) => tips.add(object));
  await body?.pipeTo(new WritableStream());
  return tips;
}
