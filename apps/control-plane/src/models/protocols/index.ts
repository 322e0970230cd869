import type { ModelProtocol } from '@ship/protocol';
import { chat } from './chat.ts';
import { messages } from './messages.ts';
import type { WireProtocol } from './protocol.ts';
import { responses } from './responses.ts';

export const PROTOCOLS: Record<ModelProtocol, WireProtocol> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
};

/** The error format for a request whose provider is not known yet. */
export function shapeOf(path: string): WireProtocol {
  return path === messages.path ? messages : chat;
}
