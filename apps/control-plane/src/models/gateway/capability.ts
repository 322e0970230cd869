import { SessionId } from '@ship/protocol';
import * as z from 'zod';
import { Capabilities } from '../../platform/capability.ts';

/**
 * The claims of a model capability, which a sandbox has instead of a key: it may spend the budget of one session while it is
 * that session's sandbox.
 */
const MODELS_CAPABILITY = {
  name: 'models',
  claims: z.object({ sessionId: SessionId, sandboxId: z.string().min(1).max(200) }),
};

export type ModelClaims = z.infer<(typeof MODELS_CAPABILITY)['claims']>;

export type ModelCapabilities = Capabilities<(typeof MODELS_CAPABILITY)['claims']>;

export const modelCapabilities = (secret: string): ModelCapabilities =>
  new Capabilities(secret, MODELS_CAPABILITY);

/** Clients of OpenAI's protocols send the capability as a bearer token, those of Anthropic's as `x-api-key`. */
export function capabilityIn(request: Request): string {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return request.headers.get('x-api-key') ?? bearer ?? '';
}
