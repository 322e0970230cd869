import { sessionEvent } from '@ship/core';
import type { LiveEvent, SessionEvent, Todo, ToolStatus, TurnId } from '@ship/protocol';
import type { AgentSignal, StepSignal, TextSignal, ToolSignal } from '../../agent/port.ts';
import { boundQuestion, boundText, cut, fitsInline, preview } from './bound.ts';
import { type Draft, draft } from './draft.ts';
import type { IngestMemory } from './memory.ts';
import { finishedTool, startedTool } from './tool-events.ts';

export interface Ingested {
  drafts: Draft[];
  live: LiveEvent[];
}

interface EventOrigin {
  turnId: TurnId;
  subagentId: string | null;
}

/** Bounds the streaming texts in memory: more than any agent has open at once. The rest arrives with the finished part. */
const MAX_OPEN_TEXTS = 200;
const MAX_SHOWN_TOOLS = 100;
const MAX_SHOWN_CHARS = 200_000;

/**
 * The only place where the agent's signals become events. No I/O. Idempotent: a signal that was recorded before, from the
 * stream or from a snapshot, yields nothing again.
 */
export class Ingest {
  readonly #turnId: TurnId;
  readonly #memory: IngestMemory;
  readonly #isPriced: boolean;

  constructor(turnId: TurnId, memory: IngestMemory, isPriced: boolean) {
    this.#turnId = turnId;
    this.#memory = memory;
    this.#isPriced = isPriced;
  }

  take(signal: AgentSignal): Ingested {
    if (signal.kind === 'child')
      return this.#child(signal.sessionId, signal.parentId, signal.title);
    const subagentId = this.#memory.sessions.get(signal.sessionId);
    // Of another turn, or of a conversation that something else in the sandbox started.
    if (subagentId === undefined) return NOTHING;
    const origin = { turnId: this.#turnId, subagentId };
    switch (signal.kind) {
      case 'prompt':
        this.#memory.addPrompt(signal.messageId);
        return NOTHING;
      case 'text':
        if (this.#memory.prompts.has(signal.messageId)) return NOTHING;
        return this.#text(signal, origin);
      case 'delta':
        return this.#delta(signal.partId, signal.delta);
      case 'tool':
        return this.#tool(signal, origin);
      case 'step':
        return this.#step(signal, origin);
      case 'todos':
        return subagentId === null ? this.#todos(signal.todos) : NOTHING;
      case 'question':
        return this.#ask(
          signal,
          sessionEvent('question.asked', {
            ...origin,
            requestId: signal.requestId,
            callId: signal.callId,
            questions: signal.questions.slice(0, 10).map(boundQuestion),
          }),
        );
      case 'permission':
        return this.#ask(
          signal,
          sessionEvent('permission.asked', {
            ...origin,
            requestId: signal.requestId,
            callId: signal.callId,
            permission: cut(signal.permission, 200),
            patterns: signal.patterns.slice(0, 20).map((pattern) => cut(pattern, 1000)),
          }),
        );
      case 'ask-closed':
        return this.closeAsk(signal.requestId);
      case 'compacted':
        return this.#once(signal.id, () => [
          draft(
            sessionEvent('conversation.compacted', { turnId: this.#turnId, partId: signal.id }),
          ),
        ]);
      case 'retrying': {
        const { attempt, nextAttemptAt, reason } = signal;
        return this.#once(`retry ${nextAttemptAt}`, () => [
          // The interrupted answer will not be finished: the next one starts over.
          ...this.#interruptTexts(),
          draft(
            sessionEvent('provider.retrying', {
              turnId: this.#turnId,
              attempt,
              nextAttemptAt,
              reason,
            }),
          ),
        ]);
      }
      case 'idle':
        return subagentId === null ? NOTHING : this.#endSubagent(subagentId, 'completed');
      default:
        return NOTHING;
    }
  }

  /** The agent no longer waits for the answer. */
  closeAsk(requestId: string): Ingested {
    if (!this.#memory.calls.has(requestId)) return NOTHING;
    return this.#once(requestId, () => [draft(sessionEvent('ask.closed', { requestId }))]);
  }

  /** A person refused: the call that asked will fail, and not because of the tool. */
  refuse(requestId: string): void {
    this.#memory.refuse(requestId);
  }

  hasRefused(): boolean {
    return this.#memory.refusedCalls.size > 0;
  }

  /** Whether remembering all ids takes too much memory. */
  get isOverfull(): boolean {
    return this.#memory.isOverfull;
  }

  /** Ids of questions and permissions that were asked and not closed. */
  openAsks(): string[] {
    const { calls, done } = this.#memory;
    return [...calls.keys()].filter((requestId) => !done.has(requestId));
  }

  proposePlan(planId: string, text: string): Ingested {
    return this.#once(planId, () => [
      draft(sessionEvent('plan.proposed', { turnId: this.#turnId, planId, text: preview(text) })),
    ]);
  }

  /** The agent has stopped: closes what it left open and keeps what was said so far. */
  interrupt(): Draft[] {
    const { openTools, openSubagents } = this.#memory;
    const tools = [...openTools].map(([partId, open]) => {
      openTools.delete(partId);
      this.#memory.done.add(partId);
      return draft(
        finishedTool({ turnId: this.#turnId, subagentId: open.subagentId }, partId, open, null),
      );
    });
    const subagents = [...openSubagents].flatMap(
      (subagentId) => this.#endSubagent(subagentId, 'interrupted').drafts,
    );
    return [...this.#interruptTexts(), ...tools, ...subagents];
  }

  #interruptTexts(): Draft[] {
    return [...this.#memory.openTexts].flatMap(([partId, { channel, text, subagentId }]) =>
      this.#finishText(partId, channel, text, true, { turnId: this.#turnId, subagentId }),
    );
  }

  #text({ partId, channel, text, isDone }: TextSignal, origin: EventOrigin): Ingested {
    if (this.#memory.done.has(partId)) return NOTHING;
    if (!isDone) {
      const { openTexts } = this.#memory;
      const known = openTexts.get(partId);
      if (known === undefined && openTexts.size >= MAX_OPEN_TEXTS) return NOTHING;
      const longer = text.length > (known?.text.length ?? 0) ? text : (known?.text ?? '');
      openTexts.set(partId, { ...origin, channel, text: boundText(longer) });
      return NOTHING;
    }
    return { drafts: this.#finishText(partId, channel, text, false, origin), live: [] };
  }

  #finishText(
    partId: string,
    kind: 'text' | 'reasoning',
    text: string,
    isPartial: boolean,
    origin: EventOrigin,
  ): Draft[] {
    this.#memory.done.add(partId);
    this.#memory.openTexts.delete(partId);
    // An interrupted connection leaves empty parts behind.
    if (text.trim() === '') return [];
    const data = { ...origin, partId, kind, text: preview(text), isPartial, link: null };
    const overflow = fitsInline(text) ? null : { name: `${partId}.txt`, text, path: null };
    return [draft(sessionEvent('text.finished', data), overflow)];
  }

  #delta(partId: string, delta: string): Ingested {
    const open = this.#memory.openTexts.get(partId);
    if (open === undefined || this.#memory.done.has(partId)) return NOTHING;
    open.text = boundText(open.text + delta);
    return { drafts: [], live: [this.#live(partId, open.channel, delta)] };
  }

  #tool(signal: ToolSignal, origin: EventOrigin): Ingested {
    const { partId, tool, title, status, childSessionId } = signal;
    if (this.#memory.done.has(partId)) return NOTHING;
    const drafts: Draft[] = [];
    if (!this.#memory.openTools.has(partId)) {
      drafts.push(draft(startedTool(origin, signal)));
      const named = { tool: cut(tool, 200), title: cut(title, 500) };
      this.#memory.openTools.set(partId, { ...named, subagentId: origin.subagentId });
    }
    if (childSessionId !== null) {
      drafts.push(...this.#child(childSessionId, signal.sessionId, title).drafts);
    }
    if (status === 'running') return { drafts, live: this.#newOutput(signal) };
    const ended: ToolStatus =
      status === 'failed' && this.#memory.refusedCalls.has(signal.callId) ? 'refused' : status;
    this.#memory.done.add(partId);
    this.#memory.openTools.delete(partId);
    this.#memory.outputs.delete(partId);
    const isLong = signal.outputPath !== null || !fitsInline(signal.output);
    drafts.push(
      draft(
        finishedTool(origin, partId, signal, ended),
        isLong ? { name: `${partId}.txt`, text: signal.output, path: signal.outputPath } : null,
      ),
    );
    if (childSessionId !== null) drafts.push(...this.#endSubagent(childSessionId, ended).drafts);
    return { drafts, live: [] };
  }

  /** The output since the last snapshot. A tool that shows only its newest lines has nothing to append to. */
  #newOutput({ partId, output }: ToolSignal): LiveEvent[] {
    const { outputs } = this.#memory;
    const before = outputs.get(partId) ?? '';
    if (output === before || output.length > MAX_SHOWN_CHARS) return [];
    if (!outputs.has(partId) && outputs.size >= MAX_SHOWN_TOOLS) return [];
    outputs.set(partId, output);
    if (!output.startsWith(before)) return [];
    return [this.#live(partId, 'output', output.slice(before.length))];
  }

  #step({ partId, reason, tokens, costUsd }: StepSignal, origin: EventOrigin): Ingested {
    return this.#once(partId, () => [
      draft(
        sessionEvent('step.finished', {
          ...origin,
          partId,
          reason: cut(reason, 100),
          tokens,
          costUsd: this.#isPriced ? costUsd : null,
        }),
      ),
    ]);
  }

  #todos(todos: Todo[]): Ingested {
    const bounded = todos
      .slice(0, 50)
      .map(({ content, status, priority }) => ({ content: cut(content, 500), status, priority }));
    const text = JSON.stringify(bounded);
    if (text === this.#memory.todos) return NOTHING;
    this.#memory.todos = text;
    const data = { turnId: this.#turnId, todos: bounded };
    return { drafts: [draft(sessionEvent('todos.changed', data))], live: [] };
  }

  #ask(
    { requestId, callId }: { requestId: string; callId: string | null },
    event: SessionEvent,
  ): Ingested {
    if (this.#memory.calls.has(requestId)) return NOTHING;
    this.#memory.calls.set(requestId, callId);
    return { drafts: [draft(event)], live: [] };
  }

  #child(sessionId: string, parentId: string, title: string): Ingested {
    const { sessions, openSubagents } = this.#memory;
    if (sessions.has(sessionId) || !sessions.has(parentId)) return NOTHING;
    sessions.set(sessionId, sessionId);
    openSubagents.add(sessionId);
    const data = { turnId: this.#turnId, subagentId: sessionId, title: cut(title, 500) };
    return { drafts: [draft(sessionEvent('subagent.started', data))], live: [] };
  }

  #endSubagent(subagentId: string, status: ToolStatus): Ingested {
    if (!this.#memory.openSubagents.delete(subagentId)) return NOTHING;
    const data = { turnId: this.#turnId, subagentId, status };
    return { drafts: [draft(sessionEvent('subagent.finished', data))], live: [] };
  }

  #once(id: string, make: () => Draft[]): Ingested {
    if (this.#memory.done.has(id)) return NOTHING;
    this.#memory.done.add(id);
    return { drafts: make(), live: [] };
  }

  #live(partId: string, field: 'text' | 'reasoning' | 'output', delta: string): LiveEvent {
    return { type: 'part.delta', data: { turnId: this.#turnId, partId, field, delta } };
  }
}

const NOTHING: Ingested = { drafts: [], live: [] };
