import type { CapabilityBearer } from '@ship/core';

/** Set by the sandbox server, which drops it from what a sandbox sends. From anyone else it can only narrow. */
const SANDBOX_HEADER = 'x-ship-sandbox-id';

export const bearerOf = (claims: { sandboxId: string }, headers: Headers): CapabilityBearer => ({
  sandboxId: claims.sandboxId,
  from: headers.get(SANDBOX_HEADER),
});
