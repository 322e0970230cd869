import { describe, expect, it } from 'vitest';

import { parseIp, type Ip } from './ip.ts';
import {
  canOpen,
  judge,
  judgeName,
  judgeUnresolved,
  parseRule,
  type OwnerPolicy,
  type Rule,
  type SandboxPolicy,
} from './policy.ts';
import { parseAuthority, type Target } from './target.ts';

function rules(...texts: string[]): Rule[] {
  return texts.map((text) => {
    const rule = parseRule(text);
    if (rule === undefined) throw new Error(`bad rule ${text}`);
    return rule;
  });
}
function ip(text: string): Ip {
  const parsed = parseIp(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
}
function target(authority: string): Target {
  const parsed = parseAuthority(authority);
  if (parsed === undefined) throw new Error(authority);
  return parsed;
}

const owner: OwnerPolicy = {
  allow: rules('github.com'),
  deny: [],
  allowPrivate: [],
  ports: new Set([80, 443]),
  hostAddresses: [ip('10.20.0.7'), ip('fd12::7')],
};
const given = (...entries: string[]): SandboxPolicy => ({
  allowOut: rules(...entries),
  denyOut: rules('0.0.0.0/0'),
  internet: true,
});

describe('an entry for a host at a private address', () => {
  it.each([
    ['npm.corp.test=private', 'npm.corp.test:443', '10.20.0.9'],
    ['npm.corp.test=private', 'npm.corp.test:80', '192.168.1.4'],
    ['npm.corp.test=private', 'npm.corp.test:443', 'fd12::9'],
    ['npm.corp.test=private', 'npm.corp.test:443', '198.18.3.4'],
    ['npm.corp.test=private', 'npm.corp.test:443', '93.184.1.1'],
    ['npm.corp.test=10.20.0.0/16', 'npm.corp.test:443', '10.20.9.9'],
    ['npm.corp.test=10.20.0.9', 'npm.corp.test:443', '::ffff:10.20.0.9'],
    ['npm.corp.test:8443=private', 'npm.corp.test:8443', '10.20.0.9'],
    ['10.20.0.9=private', '10.20.0.9:443', '10.20.0.9'],
  ])('%s opens %s at %s', (entry, authority, address) => {
    const verdict = judge(target(authority), [address], owner, given(entry));
    expect(verdict).toMatchObject({ verdict: 'allow', address });
    const byOwner = { ...owner, allow: rules(entry) };
    const plain = { allowOut: [], denyOut: [], internet: true };
    expect(judge(target(authority), [address], byOwner, plain).verdict).toBe('allow');
  });

  it.each([
    ['npm.corp.test=private', 'other.corp.test:443', '10.20.0.9', 'sandbox-deny'],
    ['npm.corp.test=private', 'a.npm.corp.test:443', '10.20.0.9', 'sandbox-deny'],
    ['npm.corp.test=private', '10.20.0.9:443', '10.20.0.9', 'address'],
    ['npm.corp.test=private', 'npm.corp.test:8443', '10.20.0.9', 'port'],
    ['npm.corp.test:8443=private', 'npm.corp.test:443', '10.20.0.9', 'sandbox-deny'],
    ['npm.corp.test:8443=private', 'other.corp.test:8443', '10.20.0.9', 'sandbox-deny'],
    ['npm.corp.test=10.20.0.0/16', 'npm.corp.test:443', '10.21.0.1', 'address'],
    ['10.20.0.9=private', '10.20.0.8:443', '10.20.0.8', 'address'],
    ['10.20.0.9=private', 'npm.corp.test:443', '10.20.0.9', 'sandbox-deny'],
  ])('%s does not open %s at %s (%s)', (entry, authority, address, rule) => {
    const verdict = judge(target(authority), [address], owner, given(entry));
    expect(verdict).toMatchObject({ verdict: 'deny', rule });
  });

  it('stays closed when the name points at loopback, metadata or the host itself', () => {
    const addresses = [
      '127.0.0.1',
      '127.9.9.9',
      '0.0.0.0',
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '224.0.0.1',
      '255.255.255.255',
      '::1',
      '::',
      '::7f00:1',
      'fe80::1',
      'ff02::1',
      'fd00:ec2::254',
      'fd20:ce::254',
      '::ffff:127.0.0.1',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '2002:7f00:1::',
      '10.20.0.7',
      'fd12::7',
    ];
    const entries = ['npm.corp.test=private', 'npm.corp.test=0.0.0.0/0', 'npm.corp.test=::/0'];
    for (const address of addresses)
      for (const entry of entries)
        expect([
          address,
          judge(target('npm.corp.test:443'), [address], owner, given(entry)),
        ]).toEqual([address, { verdict: 'deny', rule: 'address', address }]);
  });

  it.each([
    '*.corp.test=private',
    '*=private',
    'npm.corp.test=',
    '=private',
    'npm.corp.test=lan',
    'npm.corp.test=private=private',
    '10.0.0.0/8=private',
    'npm.corp.test:22=private',
    'npm.corp.test:0=private',
    'npm.corp.test:70000=private',
    '127.1=private',
  ])('%s is not a valid entry', (entry) => expect(parseRule(entry)).toBeUndefined());

  it.each([
    'npm.corp.test=127.0.0.0/8',
    'npm.corp.test=127.0.0.1',
    'npm.corp.test=169.254.169.254',
    'npm.corp.test=::1',
    '127.0.0.1=private',
    '169.254.169.254=private',
  ])('%s has no effect', (entry) => expect(rules(entry).map(canOpen)).toEqual([false]));

  it("never overrides the owner's deny-list", () => {
    const strict = { ...owner, deny: rules('npm.corp.test') };
    const policy = given('npm.corp.test=private');
    expect(judgeName(target('npm.corp.test:443'), strict, policy)).toMatchObject({
      rule: 'owner-deny',
    });
  });
});

const judged = (host: string, policy: SandboxPolicy) =>
  judgeUnresolved(host, 443, owner, policy).rule;

describe('a name that only the upstream proxy can resolve', () => {
  it('is decided by the lists of names alone', () => {
    const plain: SandboxPolicy = { allowOut: [], denyOut: [], internet: true };
    expect(judged('github.com', plain)).toBe('owner-allow');
    expect(judged('other.test', plain)).toBe('not-listed');
    expect(judged('one.test', given('one.test'))).toBe('sandbox-allow');
    expect(judged('npm.corp.test', given('npm.corp.test=private'))).toBe('sandbox-allow');
    expect(judged('github.com', given('one.test'))).toBe('sandbox-deny');
    expect(judged('one.test', given('93.184.0.0/16'))).toBe('not-listed');
  });

  it('cannot be a name of loopback or of a metadata service', () => {
    const open = given('*');
    for (const host of ['localhost', 'a.localhost', 'metadata.google.internal', 'metadata'])
      expect([host, judged(host, open)]).toEqual([host, 'address']);
    expect(judged('any.test', open)).toBe('sandbox-allow');
  });
});
