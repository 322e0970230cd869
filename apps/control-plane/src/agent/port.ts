/**
 * What a session needs of an agent that works in a sandbox. Signals are small facts about the conversation; the same ones
 * come from the live stream and from a snapshot, so that whoever takes them in does not care how they were learnt.
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

/** Every signal names the conversation that it is from: the turn's own, or that of a sub-agent. */
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
  /** Of a running tool: what it has printed so far. */
  output: string;
  /** Where in the sandbox the whole output is, when `output` was cut. */
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

/** `aborted` is our own doing. */
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

/** All that a conversation holds at one moment, its sub-agents' included, oldest first. */
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
  /** Chosen by us: the same again is the same message. */
  messageId: string;
  text: string;
  attachments: readonly Attachment[];
  model: ModelRef;
  mode: AgentMode;
}

/** Whether the agent has a conversation, and whether it is at work in it. */
export type ConversationStatus = 'absent' | 'idle' | 'busy';

/** A running agent in one sandbox. Failures are thrown as `ShipFailure`. */
export interface Agent {
  /** Makes a conversation. With a title the agent need not ask a model for one. */
  openSession(title: string): Promise<string>;
  conversationStatus(sessionId: string): Promise<ConversationStatus>;
  /** Returns when the prompt is accepted, not when it is done. */
  prompt(prompt: AgentPrompt): Promise<void>;
  /** Ends by itself when the connection does, without an error: read the snapshot then. `onOpen` when nothing is missed from now on. */
  signals(signal: AbortSignal, onOpen: () => void): AsyncIterable<AgentSignal>;
  /** From the first message on whose id starts so; nothing but what is open now when there is none. */
  snapshot(sessionId: string, messagePrefix: string): Promise<AgentSnapshot>;
  abort(sessionId: string): Promise<void>;
  /** Null dismisses the question. One that is no longer open is answered by nobody: no error. */
  answerQuestion(requestId: string, answers: QuestionAnswers | null): Promise<void>;
  answerPermission(
    requestId: string,
    reply: PermissionReply,
    message: string | null,
  ): Promise<void>;
  /** The whole conversation, in a form that `AgentLauncher.launch` takes back. */
  exportSession(sessionId: string): Promise<string>;
  /** A long output that the agent left in its sandbox. */
  readOutput(path: string): Promise<string>;
  /**
   * Goes through all that a first prompt takes, so that the real one takes less, and forgets it. The gateway is asked, and
   * must refuse: no session has this agent yet. False when it had to be broken off: then it needs a fresh start.
   */
  rehearse(model: ModelRef): Promise<boolean>;
  /** Servers of tools that it was to have and could not start or reach. Waits for those that are still starting. */
  brokenServers(): Promise<{ name: string; reason: string }[]>;
  /** Tries once more to start and to reach those servers: what they need may have come since. Never waits long. */
  retryServers(): Promise<void>;
  /** Whatever it remembers of the repository's own instructions and skills is read anew. */
  reload(): Promise<void>;
  /** It does nothing and costs nothing until it is launched again; what it holds in memory stays. */
  rest(): Promise<void>;
}

/** Sourced by every shell that an agent starts, if it is there: the environment that the repository's files describe. */
export const AGENT_SHELL_FILE = '/home/user/.ship/environment.sh';

/** Folders of a repository that an agent reads once, when it first looks at it. */
export const READ_ONCE = ['.opencode/skills', '.agents/skills', '.claude/skills'] as const;

export interface AgentModel {
  /** Without the provider. */
  id: string;
  name: string;
  contextTokens: number;
  outputTokens: number;
  /** USD for a million tokens; null when not known. */
  price: { input: number; output: number; cacheRead: number; cacheWrite: number } | null;
  isReasoning: boolean;
  takesImages: boolean;
}

export interface AgentProvider {
  id: string;
  protocol: 'chat' | 'messages' | 'responses';
  /** The model gateway as it is seen from inside the sandbox. */
  baseUrl: string;
  models: readonly AgentModel[];
  /** How long it may be silent before the agent asks again. */
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
  /** What the sandbox shows the gateway: good for this session and nothing else. */
  gatewayToken: string;
  /** Which tools ask first, by the agent's names for them and patterns of their input; all others are allowed. */
  permissions: Record<string, PermissionRule | Record<string, PermissionRule>>;
  /** What every prompt is told, beside the repository's own AGENTS.md. A change of a text needs no other process. */
  instructions: readonly { name: string; text: string }[];
  skills: readonly { name: string; text: string }[];
  mcp: Record<string, McpServer>;
}

/** A model that thinks may be silent for a while; one that hangs must not hold the turn for ever. */
export const DEFAULT_SILENCE = { headersMs: 120_000, chunkMs: 180_000 };

export interface AgentLaunch {
  sandboxId: string;
  config: AgentConfig;
  /** Keeps others in the sandbox's network from giving the agent orders. */
  password: string;
  /** Variables for what the agent runs. Its own are not overruled by them. */
  env: Record<string, string>;
  /** A conversation that another sandbox's agent had, from `exportSession`. */
  restore: string | null;
  /** The one that runs, if any, is ended first, whatever it does. */
  isFresh: boolean;
}

export interface AgentLauncher {
  /** The running agent, started if there is none. May be repeated: one that runs with the same configuration is kept. */
  launch(launch: AgentLaunch): Promise<Agent>;
}
