/** Protocols, faults and interruptions with the real OpenCode binary. */
import { openWorld } from './open-world.ts';
import { faultRules } from './suites/fault-rules.ts';
import { describeFaults } from './suites/faults.ts';
import { describeContinuation, continuationRules } from './suites/continuation.ts';
import { describeProtocols, protocolRules } from './suites/protocols.ts';

const world = openWorld([...faultRules, ...protocolRules, ...continuationRules]);

describeProtocols(world);
describeFaults(world);
describeContinuation(world);
