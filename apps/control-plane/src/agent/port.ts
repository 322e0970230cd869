/**
 * The agent in a sandbox, as a session uses it. Signals are small facts about the conversation; the live stream and
 * a snapshot yield the same ones, so their consumer does not care where they came from.
 */
import type {
  AgentMode,
  FileEdit,
  ModelRef,
  ProviderRetryReason,
  PermissionReply,
  Question,
  QuestionAnswers,
  Todo,
  TokenCounts,
} from '@ship/protocol';
import type { FailureFacts } from '@ship/core';

/** Every signal names its conversation: the turn's own, or that of a sub-agent. */
interface InSession {
  sessionId: string;
}

export interface TextSignal extends InSession {
  kind: 'text';
  partId: string;
  messageId: string;
  channel: 'text' | 'reasoning';
  text: string;
  isDone: boolean;
}

export interface ToolSignal extends InSession {
  kind: 'tool';
  partId: string;
  callId: string;
  tool: string;
  title: string;
  input: unknown;
  /** `refused` by Ship's own rules; a person's refusal is a `failed` call whose request was rejected. */
  status: 'running' | 'completed' | 'failed' | 'refused';
  /** For a running tool: the output so far. */
  output: string;
  /** The path of the whole output in the sandbox, when `output` was truncated. */
  outputPath: string | null;
  exitCode: number | null;
  durationMs: number;
  edits: FileEdit[];
  diff: string;
  /** The conversation of the sub-agent that this call started. */
  childSessionId: string | null;
}

export interface StepSignal extends InSession {
  kind: 'step';
  partId: string;
  reason: string;
  tokens: TokenCounts;
  costUsd: number;
}

/** A message of the model. `finish` and `failure` are null while it is being written. */
export interface AnswerSignal extends InSession {
  kind: 'answer';
  messageId: string;
  createdAt: number;
  isDone: boolean;
  finish: string | null;
  failure: AgentFailure | null;
  isSummary: boolean;
}

/** `aborted` by Ship itself. */
export type AgentFailure = { kind: 'aborted' } | { kind: 'error'; facts: FailureFacts };

export type AgentSignal =
  | TextSignal
  | ToolSignal
  | StepSignal
  | AnswerSignal
  | (InSession & { kind: 'delta'; partId: string; delta: string })
  | (InSession & { kind: 'prompt'; messageId: string; createdAt: number })
  | (InSession & { kind: 'child'; parentId: string; title: string })
  | (InSession & { kind: 'todos'; todos: Todo[] })
  | (InSession & {
      kind: 'question';
      requestId: string;
      callId: string | null;
      questions: Question[];
    })
  | (InSession & {
      kind: 'permission';
      requestId: string;
      callId: string | null;
      permission: string;
      patterns: string[];
    })
  | (InSession & { kind: 'ask-closed'; requestId: string })
  | (InSession & { kind: 'compacted'; id: string })
  | (InSession & {
      kind: 'retrying';
      attempt: number;
      nextAttemptAt: number;
      reason: ProviderRetryReason | null;
    })
  | (InSession & { kind: 'busy' })
  | (InSession & { kind: 'idle' })
  /** Not the end: the agent may recover from it. */
  | (InSession & { kind: 'error'; failure: AgentFailure });

/** The whole content of a conversation at one moment, including its sub-agents', oldest first. */
export interface AgentSnapshot {
  signals: AgentSignal[];
  isIdle: boolean;
  /** Ids of questions and permissions that are still open. */
  openAsks: ReadonlySet<string>;
}

export interface Attachment {
  filename: string;
  mime: string;
  /** `data:` URL. */
  url: string;
}

export interface AgentPrompt {
  sessionId: string;
  /** Chosen by Ship: the same id is the same message. */
  messageId: string;
  text: string;
  attachments: readonly Attachment[];
  model: ModelRef;
  mode: AgentMode;
}

/** Whether the agent has a conversation, and whether it is working in it. */
export type ConversationStatus = 'absent' | 'idle' | 'busy';

/** A running agent in one sandbox. Failures are thrown as `ShipFailure`. */
export interface Agent {
  /** Creates a conversation. With a title the agent need not ask a model for one. */
  openSession(title: string): Promise<string>;
  conversationStatus(sessionId: string): Promise<ConversationStatus>;
  /** Returns when the prompt is accepted, not when it is done. */
  prompt(prompt: AgentPrompt): Promise<void>;
  /**
   * Ends without an error when the connection does: read the snapshot then. Calls `onOpen` when nothing is missed from then on.
   */
  signals(signal: AbortSignal, onOpen: () => void): AsyncIterable<AgentSignal>;
  /** From the first message whose id has this prefix; only what is open now when there is none. */
  snapshot(sessionId: string, messagePrefix: string): Promise<AgentSnapshot>;
  abort(sessionId: string): Promise<void>;
  /** Null dismisses the question. Answering a closed one is not an error. */
  answerQuestion(requestId: string, answers: QuestionAnswers | null): Promise<void>;
  answerPermission(
    requestId: string,
    reply: PermissionReply,
    message: string | null,
  ): Promise<void>;
  /** The whole conversation, in a form that `AgentLauncher.launch` restores. */
  exportSession(sessionId: string): Promise<string>;
  /** A long output that the agent stored in its sandbox. */
  readOutput(path: string): Promise<string>;
  /**
   * Goes through a first prompt and discards it, so that the real one is faster. The gateway refuses the call, because no
   * session has this agent yet. False when it was aborted: then the agent needs a fresh start.
   */
  prewarm(model: ModelRef): Promise<boolean>;
  /** MCP servers that the agent could not start or reach. Waits for those that are still starting. */
  brokenServers(): Promise<{ name: string; reason: string }[]>;
  /** Retries those servers once: what they need may have arrived since. Never waits long. */
  retryServers(): Promise<void>;
  /** Reloads the repository's own instructions and skills. */
  reload(): Promise<void>;
  /** Suspends the agent until it is launched again, at no cost; its memory is kept. */
  rest(): Promise<void>;
}

/** Sourced by every shell that an agent starts, if it exists: the environment that the repository's files describe. */
export const AGENT_SHELL_FILE = '/home/user/.ship/environment.sh';

/** Folders of a repository that an agent reads once, when it first opens it. */
export const READ_ONCE = ['.opencode/skills', '.agents/skills', '.claude/skills'] as const;

export interface AgentModel {
  /** Without the provider. */
  id: string;
  name: string;
  contextTokens: number;
  outputTokens: number;
  /** USD per million tokens; null when not known. */
  price: { input: number; output: number; cacheRead: number; cacheWrite: number } | null;
  isReasoning: boolean;
  takesImages: boolean;
}

export interface AgentProvider {
  id: string;
  protocol: 'chat' | 'messages' | 'responses';
  /** The model gateway's address inside the sandbox. */
  baseUrl: string;
  models: readonly AgentModel[];
  /** How long it may be silent before the agent retries. */
  silence: { headersMs: number; chunkMs: number };
}

export type McpServer =
  | { kind: 'local'; command: readonly [string, ...string[]]; env: Record<string, string> }
  | { kind: 'remote'; url: string; headers: Record<string, string> };

type PermissionRule = 'allow' | 'ask' | 'deny';

export interface AgentConfig {
  /** The repository in the sandbox. */
  folder: string;
  providers: readonly AgentProvider[];
  /** For summaries and titles. */
  smallModel: ModelRef;
  /** The sandbox's token for the gateway, valid for this session alone. */
  gatewayToken: string;
  /** Which tools ask first, by the agent's names for them and patterns of their input; all others are allowed. */
  permissions: Record<string, PermissionRule | Record<string, PermissionRule>>;
  /** Added to every prompt, beside the repository's own AGENTS.md. Changing a text needs no restart. */
  instructions: readonly { name: string; text: string }[];
  skills: readonly { name: string; text: string }[];
  mcp: Record<string, McpServer>;
}

/** A reasoning model may be silent for a while; one that hangs must not hold the turn forever. */
export const DEFAULT_SILENCE = { headersMs: 120_000, chunkMs: 180_000 };

export interface AgentLaunch {
  sandboxId: string;
  config: AgentConfig;
  /** Keeps others in the sandbox's network from controlling the agent. */
  password: string;
  /** Variables for programs that the agent runs. They do not override the agent's own. */
  env: Record<string, string>;
  /** A conversation of another sandbox's agent, from `exportSession`. */
  restore: string | null;
  /** Ends a running agent first, even a busy one. */
  isFresh: boolean;
}

export interface AgentLauncher {
  /** Returns the running agent, or starts one. Idempotent: an agent with the same configuration is kept. */
  launch(launch: AgentLaunch): Promise<Agent>;
}
