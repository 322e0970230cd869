import type { Duplex } from 'node:stream';

import type { Ledger } from './ledger.ts';
import type { SandboxPolicy } from './policy.ts';

/** Egress state of one sandbox. The policy may change while connections are open; the next connection uses the new one. */
export interface EgressSession {
  readonly sandboxId: string;
  readonly ledger: Ledger;
  policy: SandboxPolicy;
  /** All open connections from inside: limited in number, and closed with the sandbox. */
  readonly sockets: Set<Duplex>;
  /** Those that lead to the internet: a change of rules closes them, while model calls continue. */
  readonly outbound: Set<Duplex>;
}
