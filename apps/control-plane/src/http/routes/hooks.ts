import { fail } from '@ship/protocol';
import { mayBelongTo, parseWebhook, revertedBranch, verifySignature } from '../../git/index.ts';
import { log } from '../../platform/log.ts';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';
import { readBytes } from '../input.ts';

/** GitHub sends up to 25 MB, of pushes with thousands of commits; what is left unread is found by polling. */
const MAX_DELIVERY_BYTES = 5_000_000;

/** News of the forge. It is only a reason to look: what became of a pull request is asked of the forge itself. */
export const hookRoutes = ({ workspace, session, hooks }: ApiDeps) => [
  endpoint({
    method: 'post',
    path: '/hooks/github',
    summary: 'Where GitHub delivers its webhooks: pushes and pull requests, as JSON, signed',
    response: null,
    async handle({ request }) {
      const signature = request.headers.get('x-hub-signature-256');
      if (signature === null) return refuse();
      const body = await readBytes(request, MAX_DELIVERY_BYTES);
      if (!(await verifySignature(hooks.secret ?? '', body, signature))) return refuse();
      const news = parseWebhook(request.headers.get('x-github-event') ?? '', jsonOf(body));
      if (news === undefined || news.kind === 'check') return;
      const { branch, repository } = news;
      const onBranch = async (name: string) =>
        unwrap(await workspace().sessionsOnBranch(name)).filter((each) =>
          mayBelongTo(each.repository, repository, hooks.bindings),
        );
      const reverted = revertedBranch(news);
      if (reverted !== undefined) {
        const taken = (await onBranch(reverted)).map(({ sessionId }) => sessionId);
        unwrap(await workspace().markReverted(taken));
      }
      const known = await onBranch(branch);
      // A renamed repository has another name here than in the addresses of its sessions, and a look does no harm.
      const found = known.length > 0 ? known : unwrap(await workspace().sessionsOnBranch(branch));
      log('info', 'hook.received', { kind: news.kind, sessions: found.length });
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

/** The same whatever is missing, so that nobody learns from it. */
function refuse(): never {
  return fail(
    'unauthenticated',
    'This delivery is not signed with the secret of this server.',
    'Give the webhook the content type application/json and the secret that is in GITHUB_WEBHOOK_SECRET here.',
  );
}
