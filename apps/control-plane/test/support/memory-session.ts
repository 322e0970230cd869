/** A session's side of a turn in memory: the log, the fold and commands. Crashes on demand, as a Durable Object may. */
import {
  type AgentLimits,
  DEFAULT_AGENT_LIMITS,
  INITIAL_AGENT,
  decideAgent,
  evolveAgent,
  sessionEvent,
} from '@ship/core';
import {
  type AgentCommand,
  type AgentState,
  AgentState as AgentStateSchema,
  type DurableEvent,
  type LiveEvent,
  type SessionEvent,
  createId,
  knownEvent,
} from '@ship/protocol';
import type { Agent } from '../../src/agent/port.ts';
import type { TurnDeps, TurnEnd, TurnRequest } from '../../src/session/turn/ports.ts';
import { runTurn } from '../../src/session/turn/run-turn.ts';

type DataOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { type: Type }>['data'];

export class Crash extends Error {}

export class MemorySession {
  readonly events: DurableEvent[] = [];
  readonly live: LiveEvent[] = [];
  readonly artifacts = new Map<string, string>();
  state: AgentState = INITIAL_AGENT;
  checkpoints = 0;
  /** Counts down with every call of `record`; at 0 the object crashes instead of storing. */
  recordsLeft = Infinity;
  limits: AgentLimits = DEFAULT_AGENT_LIMITS;
  stopping = new AbortController();
  onEvent: (event: DurableEvent) => void = () => undefined;
  onLive: (event: LiveEvent) => void = () => undefined;

  record(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const at = { seq: this.events.length + 1, at: Date.now() };
      const known = knownEvent({ ...event, ...at });
      if (known === undefined) throw new Error(`not valid: ${JSON.stringify(event).slice(0, 500)}`);
      this.events.push(known);
      this.state = AgentStateSchema.parse(evolveAgent(this.state, known));
      this.onEvent(known);
    }
  }

  execute(command: AgentCommand): void {
    const decision = decideAgent(this.state, command);
    if (decision.kind === 'rejected') throw new Error(decision.error.message);
    this.record(decision.events);
  }

  deps(agent: Agent): TurnDeps {
    return {
      agent,
      record: (events) => {
        this.recordsLeft -= 1;
        if (this.recordsLeft < 0) return Promise.reject(new Crash());
        this.record(events);
        return Promise.resolve();
      },
      live: (event) => {
        this.live.push(event);
        this.onLive(event);
      },
      state: () => this.state,
      eventsOfTurn: (turnId) =>
        this.events.filter(({ seq }) =>
          this.state.turn?.turnId === turnId ? seq >= this.state.turn.sinceSeq : false,
        ),
      artifacts: (name, bytes) => {
        this.artifacts.set(name, new TextDecoder().decode(bytes));
        return Promise.resolve(`artifacts/${name}`);
      },
      afterStep: () => {
        this.checkpoints += 1;
        return Promise.resolve();
      },
      now: () => Date.now(),
      stop: this.stopping.signal,
      limits: this.limits,
    };
  }

  /** Runs one turn and records its end, as the session does. */
  async turn(agent: Agent, changes: Partial<TurnRequest> & { text: string }): Promise<TurnEnd> {
    const request: TurnRequest = {
      turnId: createId('turn'),
      promptId: createId('prm'),
      attempt: 1,
      title: 'test',
      attachments: [],
      model: 'demo/demo',
      mode: this.state.mode,
      isPriced: true,
      ...changes,
    };
    const end = await runTurn(this.deps(agent), request);
    if (end.kind === 'finish') {
      const { turnId } = request;
      this.record([sessionEvent('turn.finished', { turnId, outcome: end.outcome })]);
    }
    return end;
  }

  of<Type extends DurableEvent['type']>(type: Type): DataOf<Type>[] {
    // The type determines the data; the compiler cannot infer that through a type parameter.
    return this.events.flatMap((event) =>
      event.type === type ? [event.data as DataOf<Type>] : [],
    );
  }

  texts(): string[] {
    return this.of('text.finished').flatMap(({ kind, text }) => (kind === 'text' ? [text] : []));
  }

  tools(): string[] {
    return this.of('tool.finished').map(({ tool, status }) => `${tool} ${status}`);
  }
}
