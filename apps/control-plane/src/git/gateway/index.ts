/**
 * The git gateway: `/gateway/git/CAPABILITY/OWNER/NAME.git/…`. A sandbox has a capability instead of a token; here it
 * becomes one repository at one forge, and a push may touch the session's own branch and saved states only.
 */
import { operatorFetch } from '../../platform/outbound.ts';
import type { CapabilityBearer } from '@ship/core';
import type { SessionId } from '@ship/protocol';
import { bearerOf } from '../../platform/bearer.ts';
import { type ForgeBindings, forgeAddress } from '../forge/address.ts';
import { gitCapabilities, type GitClaims } from './capability.ts';
import { admitPush } from './admit-push.ts';
import { GuardedBody, LIMITS } from './guarded-body.ts';
import { MovedRepositories } from './moved.ts';
import { PushAllowance, type PushLimits } from './push-allowance.ts';
import { maySee } from './push-commands.ts';
import { screenedBody } from './ref-screen.ts';
import { refusal } from './refusal.ts';
import { askForge } from './upstream.ts';

export interface GitGatewayParts {
  /** Signs capabilities; null when the installation has no key, and then nobody gets in. */
  secret: string | null;
  bindings: ForgeBindings;
  /** Whether this sandbox is still its session's; the session says. */
  mayUse: (sessionId: SessionId, bearer: CapabilityBearer, use: GitUse) => Promise<boolean>;
  now?: () => number;
  fetcher?: typeof fetch;
  pushLimits?: PushLimits;
}

type GitUse = 'fetch' | 'push';
export type GitGateway = (request: Request) => Promise<Response>;

const PATH =
  /^\/gateway\/git\/([\w.-]{1,4200})\/([\w.-]{1,100})\/([\w.-]{1,100}?)\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/;
const SERVICES = ['git-upload-pack', 'git-receive-pack'];

export function createGitGateway({
  secret,
  bindings,
  mayUse,
  now = Date.now,
  fetcher = operatorFetch,
  pushLimits,
}: GitGatewayParts): GitGateway {
  const capabilities = secret === null ? null : gitCapabilities(secret);
  const upstream = { fetcher, moved: new MovedRepositories(now) };
  const allowance = new PushAllowance(pushLimits);
  return async (request) => {
    const url = new URL(request.url);
    const [, capability = '', owner = '', name = '', operation = ''] =
      PATH.exec(url.pathname) ?? [];
    const claims = await capabilities?.verify(capability, now());
    if (claims === undefined) return ended();
    const { repository } = claims;
    if (owner !== repository.owner || name !== repository.name)
      return refusal(
        403,
        `Ship: this session may use ${repository.owner}/${repository.name} only.`,
      );
    const service = url.searchParams.get('service') ?? '';
    const isPush = [operation, service].includes('git-receive-pack');
    const bearer = bearerOf(claims, request.headers);
    if (!(await mayUse(claims.sessionId, bearer, isPush ? 'push' : 'fetch'))) return ended();
    const address = forgeAddress(repository.forge, bindings);
    const { headers } = request;
    if (operation === 'info/refs') {
      if (request.method !== 'GET' || !SERVICES.includes(service))
        return refusal(400, 'Ship: only git’s smart protocol is spoken here.');
      const path = `/info/refs?service=${service}`;
      const call = { method: 'GET' as const, path, headers, body: null };
      return screened(await askForge(address, repository, call, upstream), claims);
    }
    if (request.method !== 'POST') return refusal(405, 'Ship: only POST is possible here.');
    const push = operation === 'git-receive-pack';
    const body = new GuardedBody(
      request.body,
      push ? { meter: allowance.meter(claims.sessionId) } : { maxBytes: LIMITS.fetchRequestBytes },
    );
    const send = (first: Uint8Array) => {
      const call = {
        method: 'POST' as const,
        path: `/${operation}`,
        headers,
        body: body.stream(first),
        problem: () => body.problem,
      };
      return askForge(address, repository, call, upstream);
    };
    if (push) return admitPush(headers, body, claims, send);
    return screened(await send(new Uint8Array(0)), claims);
  };
}

const ended = (): Response =>
  refusal(403, 'Ship: this address is not valid, or no longer. The next turn brings a new one.');

/** What other sessions saved is not told of. */
function screened(answer: Response, claims: GitClaims): Response {
  const { status, headers, body } = answer;
  if (!answer.ok || body === null) return answer;
  return new Response(
    screenedBody(body, (ref) => maySee(ref, claims)),
    { status, headers },
  );
}
