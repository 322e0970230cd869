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
    ['nothing arrived', [step(0), answer('other')]],
    ['half of it arrived', [said('I am about'), step(0), answer('other')]],
    ['its finish reason is unknown and it is empty', [step(7), answer('unknown')]],
  ])('[AG20] an answer that was cut off unnoticed does not end the turn: %s', (_, signals) => {
    expect(judged(...signals)).toMatchObject({
      kind: 'over',
      end: { kind: 'fail', error: { category: 'transient' } },
    });
  });

  it.each<[string, AgentSignal[]]>([
    ['with a known finish reason', [said('Done.'), step(0), answer('stop')]],
    ['from a provider without a finish reason', [said('Done.'), step(7), answer('other')]],
  ])('[AG20] a complete answer does: %s', (_, signals) => {
    expect(judged(...signals)).toMatchObject({ kind: 'completed', text: 'Done.' });
  });
});
