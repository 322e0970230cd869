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

/** Of one turn: many times what the longest has. */
const MAX_IDS = 50_000;

/** What of a turn is in the log already. Lost with the object and made again from the log. */
export class IngestMemory {
  /** Conversations that belong to the turn; the agent's own has no sub-agent's id. */
  readonly sessions = new Map<string, string | null>();
  /** Ids of everything that was recorded to its end. */
  readonly done = new Set<string>();
  /** Messages to the agent: their texts are known already. */
  readonly prompts = new Set<string>();
  readonly openTools = new Map<string, OpenTool>();
  readonly openTexts = new Map<string, OpenText>();
  readonly openSubagents = new Set<string>();
  /** What a running tool had printed when we last looked. */
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

  /** Takes in what the log has of the turn. */
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

  /** The call that asked will fail because a person said no: that is not the tool's fault. */
  refuse(requestId: string): void {
    const callId = this.calls.get(requestId);
    if (callId !== undefined && callId !== null) this.refusedCalls.add(callId);
  }
}
