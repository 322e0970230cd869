import type { Duplex } from 'node:stream';

import type { Ledger } from './ledger.ts';
import type { SandboxPolicy } from './policy.ts';

/** What the egress side knows of one sandbox. The policy may change under open connections; the next one sees it. */
export interface EgressSession {
  readonly sandboxId: string;
  readonly ledger: Ledger;
  policy: SandboxPolicy;
  /** Every open connection from inside: bounded, and ended together with the sandbox. */
  readonly sockets: Set<Duplex>;
  /** Those of them that lead to the internet, which a change of rules ends; a model call goes on. */
  readonly outbound: Set<Duplex>;
}
