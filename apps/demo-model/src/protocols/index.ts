import { chat } from './chat/index.ts';
import { messages } from './messages/index.ts';
import type { Protocol } from './protocol.ts';
import { responses } from './responses/index.ts';

const PROTOCOLS: readonly Protocol[] = [chat, messages, responses];

/** Clients use base URLs with and without `/v1`. */
export function protocolAt(path: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.path === path || protocol.path === `/v1${path}`);
}
