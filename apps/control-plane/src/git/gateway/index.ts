/**
 * The git gateway: `/gateway/git/CAPABILITY/OWNER/NAME.git/…`. A sandbox has a capability instead of a token; the gateway maps
 * it to one repository at one forge, and lets a push touch only the session's own branch and checkpoint.
 */
import { operatorFetch } from '../../platform/outbound.ts';
import type { CapabilityBearer } from '@ship/core';
import type { SessionId } from '@ship/protocol';
import { bearerOf } from '../../platform/bearer.ts';
import { type ForgeBindings, forgeAddress } from '../forge/address.ts';
import { admitFetch, screenedAnswer, shownKey } from './admit-fetch.ts';
import { admitPush } from './admit-push.ts';
import { gitCapabilities } from './capability.ts';
import { GuardedBody } from './guarded-body.ts';
import { MovedRepositories } from './moved.ts';
import { PushAllowance, type PushLedger, type PushLimits } from './push-allowance.ts';
import { refusal } from './refusal.ts';
import { ShownObjects } from './shown-objects.ts';
import { callForge } from './upstream.ts';

export interface GitGatewayDeps {
  /** Signs capabilities; null when the installation has no key: then every request is refused. */
  secret: string | null;
  bindings: ForgeBindings;
  /** Whether this sandbox is still its session's; the session decides. */
  mayUse: (sessionId: SessionId, bearer: CapabilityBearer, use: GitUse) => Promise<boolean>;
  /** Counts what sessions push; the session stores the count. */
  pushLedger: PushLedger;
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
  pushLedger,
  now = Date.now,
  fetcher = operatorFetch,
  pushLimits,
}: GitGatewayDeps): GitGateway {
  const capabilities = secret === null ? null : gitCapabilities(secret);
  const upstream = { fetcher, moved: new MovedRepositories(now) };
  const allowance = new PushAllowance(pushLedger, pushLimits);
  const shown = new ShownObjects();
  return async (request) => {
    const url = new URL(request.url);
    const [, capability = '', owner = '', name = '', operation = ''] =
      PATH.exec(url.pathname) ?? [];
    const granted = await capabilities?.verify(capability, now());
    if (granted === undefined) return ended();
    const { repository: own } = granted;
    const isOwn = owner === own.owner && name === own.name;
    const isRead = !isOwn && granted.reads?.includes(`${owner}/${name}`) === true;
    if (!isOwn && !isRead)
      return refusal(403, `Ship: this session may use ${own.owner}/${own.name} only.`);
    const service = url.searchParams.get('service') ?? '';
    const isPush = [operation, service].includes('git-receive-pack');
    if (isRead && isPush)
      return refusal(403, `Ship: this session may read ${owner}/${name}, not push to it.`);
    const repository = { ...own, owner, name };
    const claims = { ...granted, repository };
    const bearer = bearerOf(claims, request.headers);
    if (!(await mayUse(claims.sessionId, bearer, isPush ? 'push' : 'fetch'))) return ended();
    const address = forgeAddress(repository.forge, bindings);
    const { headers } = request;
    const list = (ofService: string, asked: Headers) => {
      const path = `/info/refs?service=${ofService}`;
      const call = { method: 'GET' as const, path, headers: asked, body: null };
      return callForge(address, repository, call, upstream);
    };
    if (operation === 'info/refs') {
      if (request.method !== 'GET' || !SERVICES.includes(service))
        return refusal(400, 'Ship: only git’s smart protocol is supported here.');
      const note = (object: string) => shown.add(shownKey(claims), object);
      return screenedAnswer(await list(service, headers), claims, isPush ? undefined : note);
    }
    if (request.method !== 'POST') return refusal(405, 'Ship: only POST is supported here.');
    const send = (body: GuardedBody, first: Uint8Array = new Uint8Array(0)) => {
      const call = {
        method: 'POST' as const,
        path: `/${operation}`,
        headers,
        body: body.stream(first),
        session: claims.sessionId,
        problem: () => body.problem,
      };
      return callForge(address, repository, call, upstream);
    };
    if (operation === 'git-upload-pack')
      return admitFetch(request, {
        claims,
        shown,
        send,
        list: () => list('git-upload-pack', new Headers()),
      });
    const meter = allowance.meter(claims.sessionId, expectedBytes(headers));
    const body = new GuardedBody(request.body, { meter: (bytes) => meter.count(bytes) });
    const answer = await admitPush(headers, body, claims, (first) => send(body, first));
    await meter.close();
    return answer;
  };
}

/** Undefined for a chunked body, as git sends packs of more than a megabyte. */
function expectedBytes(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

const ended = (): Response =>
  refusal(403, 'Ship: this address is invalid or has expired. The next turn gets a new one.');
