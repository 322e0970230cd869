import type { DurableEvent } from '@ship/protocol';

interface OpenTool {
  tool: string;
  title: string;
  subagentId: string | null;
}

interface OpenText {
  channel: 'text' | 'reasoning';
  text: string;
  subagentId: string | null;
}

/** Per turn: many times what the longest turn has. */
const MAX_IDS = 50_000;

/** The turn's content that is in the log already. Lost with the object and rebuilt from the log. */
export class IngestMemory {
  /** Conversations that belong to the turn, with the sub-agent's id; null for the agent's own. */
  readonly sessions = new Map<string, string | null>();
  /** Ids of everything that is recorded completely. */
  readonly done = new Set<string>();
  /** Messages to the agent: their texts are not the agent's. */
  readonly prompts = new Set<string>();
  readonly openTools = new Map<string, OpenTool>();
  readonly openTexts = new Map<string, OpenText>();
  readonly openSubagents = new Set<string>();
  /** The output of each running tool at the last snapshot. */
  readonly outputs = new Map<string, string>();
  /** The tool call behind each question and permission. */
  readonly calls = new Map<string, string | null>();
  readonly refusedCalls = new Set<string>();
  todos = '[]';

  constructor(agentSessionId: string) {
    this.sessions.set(agentSessionId, null);
  }

  get isOverfull(): boolean {
    return this.done.size + this.prompts.size + this.sessions.size > MAX_IDS;
  }

  addPrompt(messageId: string): void {
    if (!this.isOverfull) this.prompts.add(messageId);
  }

  /** Applies an event of the turn from the log. */
  recall(event: DurableEvent): void {
    switch (event.type) {
      case 'text.finished':
      case 'step.finished':
        this.done.add(event.data.partId);
        break;
      case 'tool.started': {
        const { partId, tool, title, subagentId } = event.data;
        this.openTools.set(partId, { tool, title, subagentId });
        break;
      }
      case 'tool.finished':
        this.done.add(event.data.partId);
        this.openTools.delete(event.data.partId);
        break;
      case 'subagent.started':
        this.sessions.set(event.data.subagentId, event.data.subagentId);
        this.openSubagents.add(event.data.subagentId);
        break;
      case 'subagent.finished':
        this.openSubagents.delete(event.data.subagentId);
        break;
      case 'question.asked':
      case 'permission.asked':
        this.calls.set(event.data.requestId, event.data.callId);
        break;
      case 'question.answered':
        if (event.data.answers === null) this.refuse(event.data.requestId);
        break;
      case 'permission.answered':
        if (event.data.reply === 'reject') this.refuse(event.data.requestId);
        break;
      case 'ask.closed':
        this.done.add(event.data.requestId);
        break;
      case 'conversation.compacted':
        this.done.add(event.data.partId);
        break;
      case 'provider.retrying':
        this.done.add(`retry ${event.data.nextAttemptAt}`);
        break;
      case 'todos.changed':
        this.todos = JSON.stringify(event.data.todos);
        break;
      case 'plan.proposed':
        this.done.add(event.data.planId);
        break;
      default:
    }
  }

  /** The call that asked will fail because a person refused: it is not the tool's fault. */
  refuse(requestId: string): void {
    const callId = this.calls.get(requestId);
    if (callId !== undefined && callId !== null) this.refusedCalls.add(callId);
  }
}
