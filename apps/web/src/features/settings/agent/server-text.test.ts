import { describe, expect, it } from 'vitest';
import { readCommand, readPairs, writeCommand, writePairs } from './server-text.ts';

describe('text fields of an MCP server', () => {
  it.each([
    ['npx -y server', ['npx', '-y', 'server']],
    [`node "my server.js" 'it is'`, ['node', 'my server.js', 'it is']],
    [`tool --name="two words"`, ['tool', '--name=two words']],
    [`tool ""`, ['tool', '']],
  ])('the command %s', (text, value) => {
    expect(readCommand(text)).toEqual({ ok: true, value });
    expect(readCommand(writeCommand(value))).toEqual({ ok: true, value });
  });

  it.each(['', '   ', 'node "open', `it's`])('no command: %s', (text) => {
    expect(readCommand(text)).toMatchObject({ ok: false });
  });

  it('variables and headers, one per line', () => {
    const env = { A: 'b=c', TOKEN: '{secret:TOKEN}' };
    expect(readPairs(writePairs(env, '='), '=')).toEqual({ ok: true, value: env });
    const headers = { authorization: 'Bearer {secret:TOKEN}', 'x-url': 'http://a:1' };
    expect(readPairs(`\n${writePairs(headers, ':')}\n\n`, ':')).toEqual({
      ok: true,
      value: headers,
    });
    expect(readPairs('nothing', '=')).toMatchObject({ ok: false });
  });
});
