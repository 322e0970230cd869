import { describe, expect, it } from 'vitest';

import { ownerPolicy, parseConfig } from '../../config.ts';
import type { SandboxPolicy } from '../../egress/policy.ts';
import { parseRule } from '../../egress/policy.ts';
import { judgeRegistry, judgeUpstream, targetOf } from './policy.ts';

const policyOf = (egress: object = {}) => {
  const config = parseConfig({ apiKey: 'some-api-key', dataDir: '/d', egress });
  return { owner: ownerPolicy(config.egress), isListOnly: config.egress.onlyThese };
};
const open: SandboxPolicy = { allowOut: [], denyOut: [], internet: true };
const rules = (...texts: string[]) => texts.flatMap((text) => parseRule(text) ?? []);
const target = (url: string) => {
  const found = targetOf(new URL(url));
  if (found === undefined) throw new Error(url);
  return found;
};
const decide = (
  url: string,
  address: string,
  isNamed: boolean,
  egress?: object,
  sandbox = open,
) => {
  const verdict = judgeUpstream(target(url), [address], isNamed, policyOf(egress), sandbox);
  return verdict.verdict === 'allow' ? verdict.address : verdict.rule;
};

describe('addresses of registries', () => {
  it.each([
    ['https://npm.acme.test/', '10.1.2.3', true, '10.1.2.3'],
    ['https://npm.acme.test:8443/', '203.0.113.80', true, '203.0.113.80'],
    ['https://npm.acme.test/', 'fd12::1', true, 'fd12::1'],
    ['https://npm.acme.test/', '127.0.0.1', true, 'address'],
    ['http://localhost:4873/', '127.0.0.1', true, '127.0.0.1'],
    ['http://127.0.0.1:4873/', '127.0.0.1', true, '127.0.0.1'],
    ['https://npm.acme.test/', '169.254.169.254', true, 'address'],
    ['https://npm.acme.test/', '::ffff:169.254.169.254', true, 'address'],
    ['https://npm.acme.test/', 'fd00:ec2::254', true, 'address'],
    ['https://npm.acme.test/', '0.0.0.0', true, 'address'],
    ['https://cdn.test/', '93.184.216.34', false, '93.184.216.34'],
    ['https://cdn.test/', '10.1.2.3', false, 'address'],
    ['https://cdn.test:8443/', '93.184.216.34', false, 'port'],
    ['http://localhost:4873/', '127.0.0.1', false, 'address'],
  ])('%s at %s, named by the owner: %s → %s', (url, address, isNamed, expected) => {
    expect(decide(url, address, isNamed)).toBe(expected);
  });

  it('respects the deny-lists of the owner and the sandbox', () => {
    const url = 'https://npm.acme.test/';
    expect(decide(url, '10.1.2.3', true, { deny: ['npm.acme.test'] })).toBe('owner-deny');
    expect(decide(url, '10.1.2.3', true, { deny: ['10.0.0.0/8'] })).toBe('owner-deny');
    expect(decide(url, '10.1.2.3', true, { onlyThese: true })).toBe('not-listed');
    const listed = { ...open, denyOut: rules('0.0.0.0/0'), allowOut: rules('npm.acme.test') };
    expect(judgeRegistry(target(url), policyOf(), listed)).toBeUndefined();
    expect(judgeRegistry(target('https://pypi.org/'), policyOf(), listed)).toBe('sandbox-deny');
    // The files of a listed registry come from an unlisted host.
    expect(decide('https://cdn.test/', '93.184.216.34', false, {}, listed)).toBe('93.184.216.34');
    const blocked = { ...open, denyOut: rules('93.184.216.0/24') };
    expect(decide('https://cdn.test/', '93.184.216.34', false, {}, blocked)).toBe('sandbox-deny');
  });
});
