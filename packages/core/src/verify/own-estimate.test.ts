import { describe, expect, it } from 'vitest';
import { ownEstimate, withoutEstimate } from './own-estimate.ts';

describe('the agent’s own estimate', () => {
  it.each([
    ['Done.\n\nConfidence: 85%', 0.85],
    ['Done.\n**Confidence: 85 %**\n', 0.85],
    ['- confidence = 7/100', 0.07],
    ['Confidence: `100%`.', 1],
    ['Confidence: 20%\nI looked again.\n> *Confidence:* 60%', 0.6],
  ])('[VF11] %j says %d', (text, value) => {
    expect(ownEstimate(text)).toBe(value);
    expect(withoutEstimate(text)).not.toMatch(/confidence/i);
  });

  it.each([
    '',
    'The confidence interval is 95% wide.',
    'Confidence: high',
    'Confidence: 250%',
    'My confidence: 90% of the tests pass, the rest do not.',
  ])('[VF11] %j has no estimate', (text) => expect(ownEstimate(text)).toBeNull());

  it('[VF11] any text is read in linear time', () => {
    for (const part of ['\n', ' ', '> ', 'confidence: ', '9'])
      expect(ownEstimate(`${part.repeat(100_000)}x`)).toBeNull();
  });

  it('[VF11] the rest of the message stays', () => {
    expect(withoutEstimate('I fixed it.\n\nConfidence: 85%\n')).toBe('I fixed it.');
    expect(withoutEstimate('Nothing to say of that.')).toBe('Nothing to say of that.');
  });
});
