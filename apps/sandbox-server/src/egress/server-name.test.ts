import { describe, expect, it } from 'vitest';

import { parseRule, type OwnerPolicy, type Rule } from './policy.ts';
import { judgeServerName } from './server-name.ts';
import { parseAuthority, type Target } from './target.ts';

const rules = (...texts: string[]): Rule[] => texts.flatMap((text) => parseRule(text) ?? []);
const ADDRESS = '93.184.216.34';

function judged(
  authority: string,
  serverName: string | undefined,
  allow: Rule[],
  { deny = [] as Rule[], hasEncryptedName = false } = {},
) {
  const owner: OwnerPolicy = {
    allow,
    deny,
    allowPrivate: [],
    ports: new Set([443]),
    hostAddresses: [],
  };
  const target = parseAuthority(authority) as Target;
  const hello = { serverName, hasEncryptedName, hasEarlyData: false };
  const sandbox = { allowOut: [], denyOut: [], internet: true };
  const verdict = judgeServerName({ target, address: ADDRESS }, hello, owner, sandbox);
  return verdict.verdict === 'allow' ? (verdict.serverName ?? 'allow') : verdict.rule;
}

describe('TLS server names', () => {
  const named = rules('a.test', '*.b.test');
  it.each([
    ['a.test', 'allow'],
    ['a.test.', 'allow'],
    ['x.b.test', 'x.b.test'],
    ['b.test', 'server-name'],
    ['hidden.test', 'server-name'],
    ['', 'server-name'],
    ['a.test\0.hidden.test', 'server-name'],
    [ADDRESS, 'server-name'],
    [undefined, 'no-server-name'],
  ])('[NW6] with a list of names, %j is %s', (name, expected) => {
    expect(judged('a.test:443', name, named)).toBe(expected);
  });

  it('[NW6] a rule for another block opens no name here', () => {
    expect(judged('a.test:443', 'hidden.test', rules('a.test', '198.51.100.0/24'))).toBe(
      'server-name',
    );
    expect(judged('a.test:443', 'hidden.test', rules('a.test', '93.184.216.0/24'))).toBe(
      'hidden.test',
    );
  });

  it('[NW6] an encrypted name, or none, passes only where every name is allowed', () => {
    const hidden = { hasEncryptedName: true };
    expect(judged('a.test:443', 'a.test', named, hidden)).toBe('encrypted-name');
    expect(judged('a.test:443', 'a.test', rules('*'), hidden)).toBe('allow');
    expect(judged(`${ADDRESS}:443`, undefined, rules('93.184.216.0/24'))).toBe('allow');
    const deny = rules('evil.test');
    expect(judged('a.test:443', undefined, rules('*'), { deny })).toBe('no-server-name');
    expect(judged('a.test:443', 'evil.test', rules('*'), { deny })).toBe('server-name');
  });
});
