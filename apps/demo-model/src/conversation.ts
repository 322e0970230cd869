/** A request, independent of the protocol. Scripts see only this. */

export type ProtocolName = 'chat' | 'messages' | 'responses';

export interface ToolCall {
  id: string;
  name: string;
  /** Parsed arguments; the raw string when they are not JSON (an agent echoes a malformed call unchanged). */
  input: unknown;
}

interface UserMessage {
  role: 'user';
  text: string;
  attachments: number;
}
export interface AssistantMessage {
  role: 'assistant';
  text: string;
  reasoning: string;
  calls: ToolCall[];
}
export interface ToolMessage {
  role: 'tool';
  callId: string;
  text: string;
}
export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface Conversation {
  protocol: ProtocolName;
  model: string;
  stream: boolean;
  /** Chat-completions streams report usage only on request (`stream_options.include_usage`). */
  reportUsage: boolean;
  /** The client marked a prefix for caching, so new tokens are billed as cache writes. */
  writesCache: boolean;
  system: string;
  messages: Message[];
  tools: ToolSpec[];
}

interface ToolSpec {
  name: string;
  /** The definition as sent; it counts as input tokens. */
  definition: string;
}

/** Falls back to the raw text: a malformed call of the model is echoed back and must not fail the whole request. */
export function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
