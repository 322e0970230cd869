import type { RequestId } from '@ship/protocol';

/** Made once per intention and kept through its repeats, so that the server recognises them. */
// The brand is the schema's; a UUID fits its pattern.
export const newRequestId = (): RequestId => crypto.randomUUID() as string as RequestId;
