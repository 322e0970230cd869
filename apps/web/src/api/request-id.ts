import type { RequestId } from '@ship/protocol';

/** Create one per user action and keep it for retries, so that the server recognizes duplicates. */
// The brand is the schema's; a UUID fits its pattern.
export const newRequestId = (): RequestId => crypto.randomUUID() as string as RequestId;
