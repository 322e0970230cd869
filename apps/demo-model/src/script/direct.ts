/** Chooses what to answer: the one place where a request meets the script. Pure. */
import { compactionSummary, readConversation } from '../builtin/compaction.ts';
import { titleFor } from '../builtin/title.ts';
import type { Conversation } from '../conversation.ts';
import { kindOf } from './kind.ts';
import { countSteps, nextStep } from './replay.ts';
import type { Reply, RequestKind, Rule, Script, Timing, Turn } from './script.ts';
import { readTurn } from './turn.ts';

export interface Direction {
  kind: RequestKind;
  /** null when the script has nothing to say to this prompt. */
  rule: string | null;
  step: number;
  prompt: string;
  reply: Reply;
  timing: { firstTokenMs: number; tokensPerSecond: number };
}

export function direct(script: Script, conversation: Conversation): Direction {
  const kind = kindOf(conversation);
  const turn = readTurn(conversation);
  const found = findRule(script, kind, turn, conversation.model);
  if (found === null) return unscripted(script, kind, turn);
  const { rule, match } = found;
  const { reply, step } = nextStep(rule, { ...turn, match });
  return {
    kind,
    rule: rule.name,
    step,
    prompt: turn.prompt,
    reply,
    timing: mergeTiming(script.timing, rule.timing, reply.timing),
  };
}

function findRule(
  script: Script,
  kind: RequestKind,
  turn: Turn,
  model: string,
): { rule: Rule; match: string[] } | null {
  for (const rule of script.rules) {
    if (rule.kind !== kind) continue;
    const match = rule.matches(turn.prompt, model);
    if (match !== null) return { rule, match };
  }
  return null;
}

function unscripted(script: Script, kind: RequestKind, turn: Turn): Direction {
  const users = turn.conversation.messages.filter((message) => message.role === 'user');
  const text = users.map((message) => message.text).join('\n');
  const own = { kind, step: 0, prompt: turn.prompt, timing: mergeTiming(script.timing) };
  switch (kind) {
    case 'title':
      return { ...own, rule: 'title', reply: { say: titleFor(text) } };
    case 'compaction':
      return { ...own, rule: 'compaction', reply: { say: summarise(script, turn, text) } };
    case 'turn':
      return { ...own, rule: null, reply: {} };
  }
}

/** The summary says how far the script was, so that it goes on from there. */
function summarise(script: Script, turn: Turn, text: string): string {
  const reading = readConversation(text);
  const { prompt, lostSteps, results } = reading;
  const told = { ...turn, prompt, lostSteps, steps: [] };
  const found = findRule(script, 'turn', told, turn.conversation.model);
  const steps =
    found === null ? 0 : countSteps(found.rule, { ...told, match: found.match }, results);
  return compactionSummary(reading, steps);
}

function mergeTiming(...layers: (Timing | undefined)[]): Direction['timing'] {
  const merged = { firstTokenMs: 0, tokensPerSecond: 0 };
  for (const layer of layers) {
    merged.firstTokenMs = layer?.firstTokenMs ?? merged.firstTokenMs;
    merged.tokensPerSecond = layer?.tokensPerSecond ?? merged.tokensPerSecond;
  }
  return merged;
}
