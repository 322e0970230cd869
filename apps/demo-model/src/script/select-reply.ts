/** Selects the reply of the script for a request. Pure. */
import { compactionSummary, parseCompactedConversation } from '../builtin/compaction.ts';
import { titleFor } from '../builtin/title.ts';
import type { Conversation } from '../conversation.ts';
import { kindOf } from './kind.ts';
import { countSteps, nextStep } from './replay.ts';
import type { Reply, RequestKind, Rule, Script, Timing, Turn } from './script.ts';
import { readTurn } from './turn.ts';

export interface SelectedReply {
  kind: RequestKind;
  /** null when no rule matches the prompt. */
  rule: string | null;
  step: number;
  prompt: string;
  reply: Reply;
  timing: { firstTokenMs: number; tokensPerSecond: number };
}

export function selectReply(script: Script, conversation: Conversation): SelectedReply {
  const kind = kindOf(conversation);
  const turn = readTurn(conversation);
  const found = findRule(script, kind, turn, conversation.model);
  if (found === null) return defaultReply(script, kind, turn);
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

function defaultReply(script: Script, kind: RequestKind, turn: Turn): SelectedReply {
  const users = turn.conversation.messages.filter((message) => message.role === 'user');
  const text = users.map((message) => message.text).join('\n');
  const base = { kind, step: 0, prompt: turn.prompt, timing: mergeTiming(script.timing) };
  switch (kind) {
    case 'title':
      return { ...base, rule: 'title', reply: { say: titleFor(text) } };
    case 'compaction':
      return { ...base, rule: 'compaction', reply: { say: summarize(script, turn, text) } };
    case 'turn':
      return { ...base, rule: null, reply: {} };
  }
}

/** The summary records the progress of the script, so that it continues from there. */
function summarize(script: Script, turn: Turn, text: string): string {
  const compacted = parseCompactedConversation(text);
  const { prompt, lostSteps, results } = compacted;
  const original = { ...turn, prompt, lostSteps, steps: [] };
  const found = findRule(script, 'turn', original, turn.conversation.model);
  const steps =
    found === null ? 0 : countSteps(found.rule, { ...original, match: found.match }, results);
  return compactionSummary(compacted, steps);
}

function mergeTiming(...layers: (Timing | undefined)[]): SelectedReply['timing'] {
  const merged = { firstTokenMs: 0, tokensPerSecond: 0 };
  for (const layer of layers) {
    merged.firstTokenMs = layer?.firstTokenMs ?? merged.firstTokenMs;
    merged.tokensPerSecond = layer?.tokensPerSecond ?? merged.tokensPerSecond;
  }
  return merged;
}
