import type { CapabilityBearer } from '@ship/core';

/** The sandbox server sets this header and strips it from requests of sandboxes. From anyone else it can only narrow access. */
const SANDBOX_HEADER = 'x-ship-sandbox-id';

export const bearerOf = (claims: { sandboxId: string }, headers: Headers): CapabilityBearer => ({
  sandboxId: claims.sandboxId,
  from: headers.get(SANDBOX_HEADER),
});
