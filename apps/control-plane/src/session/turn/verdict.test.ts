import { describe, expect, it } from 'vitest';
import type { AgentSignal } from '../../agent/port.ts';
import { verdictOn } from './verdict.ts';

const sessionId = 'ses_1';
const prompt: AgentSignal = { kind: 'prompt', sessionId, messageId: 'msg_0', createdAt: 0 };
const said = (text: string): AgentSignal => ({
  kind: 'text',
  sessionId,
  partId: 'prt_1',
  messageId: 'msg_1',
  channel: 'text',
  text,
  isDone: true,
});
const step = (output: number): AgentSignal => ({
  kind: 'step',
  sessionId,
  partId: 'prt_2',
  reason: 'other',
  tokens: { input: 0, output, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
});
const answer = (finish: string): AgentSignal => ({
  kind: 'answer',
  sessionId,
  messageId: 'msg_1',
  createdAt: 1,
  isDone: true,
  finish,
  failure: null,
  isSummary: false,
});
const judged = (...signals: AgentSignal[]) =>
  verdictOn(
    { isIdle: true, signals: [prompt, ...signals], openAsks: new Set() },
    sessionId,
    'msg_0',
    false,
  );

describe('the verdict on an answer', () => {
  it.each<[string, AgentSignal[]]>([
    ['nothing of it came', [step(0), answer('other')]],
    ['half of it came', [said('I am about'), step(0), answer('other')]],
    ['its end is not known and it says nothing', [step(7), answer('unknown')]],
  ])('[AG20] one that broke off unnoticed is no end: %s', (_, signals) => {
    expect(judged(...signals)).toMatchObject({
      kind: 'over',
      end: { kind: 'fail', error: { category: 'transient' } },
    });
  });

  it.each<[string, AgentSignal[]]>([
    ['with an end that is known', [said('Done.'), step(0), answer('stop')]],
    ['of a provider that does not say how it ended', [said('Done.'), step(7), answer('other')]],
  ])('[AG20] a whole one is: %s', (_, signals) => {
    expect(judged(...signals)).toMatchObject({ kind: 'completed', text: 'Done.' });
  });
});
