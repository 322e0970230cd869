import type { GitClaims } from './capability.ts';
import { type GuardedBody, LIMITS, TooSlow } from './guarded-body.ts';
import { readSection } from './pkt-line.ts';
import { PushTooLarge } from './push-allowance.ts';
import { parsePush, refusePush } from './push-commands.ts';
import { refusal, refusedPush } from './refusal.ts';

/** Forwards a push only if this session may do every one of its commands. */
export async function admitPush(
  headers: Headers,
  body: GuardedBody,
  claims: GitClaims,
  send: (first: Uint8Array) => Promise<Response>,
): Promise<Response> {
  // An unreadable request cannot be judged; git never compresses the request of a push.
  if (headers.get('content-encoding') !== null)
    return refuse(body, refusal(415, 'Ship: a compressed push is not accepted.'));
  const deadline = Date.now() + LIMITS.commandsMs;
  try {
    const section = await readSection(() => body.read(Math.max(0, deadline - Date.now())));
    if (section.kind === 'too-long')
      return await refuse(body, refusal(413, 'Ship: too many refs in one push.'));
    const push = section.kind === 'complete' ? parsePush(section.packets) : undefined;
    if (section.kind !== 'complete' || push === undefined)
      return await refuse(body, refusal(400, 'Ship: this push is not understood.'));
    // Some forges merge or open things on a push option.
    const reasons = push.capabilities.has('push-options')
      ? ['Ship: push options are not accepted']
      : push.commands
          .map((command) => refusePush(command, claims))
          .filter((one) => one !== undefined);
    if (reasons.length === 0) {
      const answer = await send(section.raw);
      const { problem } = body;
      if (!(problem instanceof PushTooLarge)) return answer;
      await Promise.all([answer.body?.cancel(), body.drain()]);
      return refusedPush(push, () => problem.message);
    }
    await body.drain();
    const byRef = new Map(
      push.commands.map((command) => [command.ref, refusePush(command, claims)]),
    );
    return refusedPush(push, (ref) => byRef.get(ref) ?? 'Ship: refused together with another ref');
  } catch (error) {
    await body.cancel();
    if (error instanceof PushTooLarge) return refusal(413, `${error.message}.`);
    // A client that left gets no answer anyway; a slow one learns why.
    return error instanceof TooSlow
      ? refusal(408, 'Ship: the push came too slowly.')
      : refusal(400, 'Ship: this push was interrupted.');
  }
}

async function refuse(body: GuardedBody, response: Response): Promise<Response> {
  await body.cancel();
  return response;
}
