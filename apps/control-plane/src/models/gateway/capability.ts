import { SessionId } from '@ship/protocol';
import * as z from 'zod';
import { Capabilities } from '../../platform/capability.ts';

/**
 * What a sandbox holds instead of a key: the right to spend the money of one session, within its budget, for as long as it
 * is that session's sandbox.
 */
const MODELS_CAPABILITY = {
  name: 'models',
  claims: z.object({ sessionId: SessionId, sandboxId: z.string().min(1).max(200) }),
};

export type ModelClaims = z.infer<(typeof MODELS_CAPABILITY)['claims']>;

export type ModelCapabilities = Capabilities<(typeof MODELS_CAPABILITY)['claims']>;

export const modelCapabilities = (secret: string): ModelCapabilities =>
  new Capabilities(secret, MODELS_CAPABILITY);

/** Clients of OpenAI's protocols send it as a bearer token, those of Anthropic's as `x-api-key`. */
export function presented(request: Request): string {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return request.headers.get('x-api-key') ?? bearer ?? '';
}
