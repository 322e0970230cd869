/** What a request says, whichever protocol it came in: scripts see this and nothing of the wire. */

export type ProtocolName = 'chat' | 'messages' | 'responses';

export interface ToolCall {
  id: string;
  name: string;
  /** Parsed arguments; the raw string where they were no JSON (an agent echoes a broken call as it got it). */
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
  /** Chat-completions report usage in a stream only when asked (`stream_options.include_usage`). */
  reportUsage: boolean;
  /** The client marked a prefix to be cached, so what is new is written to the cache and billed as such. */
  writesCache: boolean;
  system: string;
  messages: Message[];
  tools: ToolSpec[];
}

interface ToolSpec {
  name: string;
  /** The definition as sent: it is part of what the input tokens are counted from. */
  definition: string;
}

/** JSON where it is JSON: a model's own broken call comes back to it and must not fail the parsing of the request. */
export function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
