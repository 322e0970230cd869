import { fail } from '@ship/protocol';
import { mayBelongTo, parseWebhook, revertedBranch, verifySignature } from '../../git/index.ts';
import { log } from '../../platform/log.ts';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';
import { readBytes } from '../input.ts';

/** GitHub sends up to 25 MB for pushes with thousands of commits; polling finds the changes of rejected ones. */
const MAX_DELIVERY_BYTES = 5_000_000;

/** A webhook only triggers a poll: the state of a pull request is always read from the forge itself. */
export const hookRoutes = ({ workspace, session, hooks }: ApiDeps) => [
  endpoint({
    method: 'post',
    path: '/hooks/github',
    summary: 'Receives signed GitHub webhooks for pushes and pull requests, as JSON',
    response: null,
    async handle({ request }) {
      const signature = request.headers.get('x-hub-signature-256');
      if (signature === null) return refuse();
      const body = await readBytes(request, MAX_DELIVERY_BYTES);
      if (!(await verifySignature(hooks.secret ?? '', body, signature))) return refuse();
      const event = parseWebhook(request.headers.get('x-github-event') ?? '', jsonOf(body));
      if (event === undefined || event.kind === 'check') return;
      const { branch, repository } = event;
      const onBranch = async (name: string) =>
        unwrap(await workspace().sessionsOnBranch(name)).filter((each) =>
          mayBelongTo(each.repository, repository, hooks.bindings),
        );
      const reverted = revertedBranch(event);
      if (reverted !== undefined) {
        const taken = (await onBranch(reverted)).map(({ sessionId }) => sessionId);
        unwrap(await workspace().markReverted(taken));
      }
      const known = await onBranch(branch);
      // A renamed repository has a different name in its sessions' URLs; an extra poll does no harm.
      const found = known.length > 0 ? known : unwrap(await workspace().sessionsOnBranch(branch));
      log('info', 'hook.received', { kind: event.kind, sessions: found.length });
      await Promise.all(found.map(({ sessionId }) => session(sessionId).observeForge()));
    },
  }),
];

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

/** The same error for every failure, so that it reveals nothing. */
function refuse(): never {
  return fail(
    'unauthenticated',
    'This delivery is not signed with the secret of this server.',
    'Set the webhook’s content type to application/json and its secret to the value of GITHUB_WEBHOOK_SECRET.',
  );
}
