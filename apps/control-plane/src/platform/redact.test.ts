import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamRedactor, redactError } from './redact.ts';

const KEY = 'sk-ant-planted-0123456789';

describe('redaction', () => {
  it.each([
    `Incorrect API key provided: ${KEY}.`,
    'Incorrect API key provided: sk-proj-********abcd.',
    'header Authorization: Bearer abcdef0123456789',
    'key AIzaSyA-0123456789abcdef',
    'with shipcap_eyJleHBpcmVz.abc-def',
  ])('[GM8] nothing that looks like a key stays in an error: %s', (text) => {
    const clean = redactError(text, [KEY]);
    expect(clean).toContain('[redacted]');
    expect(clean).not.toMatch(/planted|abcd|AIza|eyJ/);
  });

  it('[GM8] ordinary words stay', () => {
    const text = 'The model `gpt-6-sol` does not exist, see task-list and risk-free api docs';
    expect(redactError(text, [KEY])).toBe(text);
    expect(redactError('ollama is here', ['ollama'])).toBe('ollama is here');
  });

  it('[GM8] a key is found in a stream however it is cut into pieces', () => {
    const cut = fc.array(fc.nat(80), { maxLength: 12 });
    fc.assert(
      fc.property(cut, fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (cuts, a, b) => {
        const text = `${a}${KEY}${b}${KEY.slice(0, 9)}`;
        const redactor = new StreamRedactor([KEY]);
        const places = [0, ...cuts.toSorted((x, y) => x - y), text.length];
        const pieces = places.slice(1).map((end, i) => text.slice(places[i], end));
        const out = pieces.map((piece) => redactor.push(piece)).join('') + redactor.end();
        expect(out).toBe(`${a}[redacted]${b}${KEY.slice(0, 9)}`);
      }),
    );
  });

  it('[GM3] holds nothing back that cannot be the beginning of a key', () => {
    const redactor = new StreamRedactor([KEY]);
    expect(redactor.push('data: {"x":1}\n\n')).toBe('data: {"x":1}\n\n');
    expect(redactor.push('a sk')).toBe('a ');
    expect(redactor.push('ill')).toBe('skill');
  });
});
