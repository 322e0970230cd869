import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseCidr, parseIp, type Cidr, type Ip } from './ip.ts';
import {
  judge,
  judgeName,
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
function cidr(text: string): Cidr {
  const block = parseCidr(text);
  if (block === undefined) throw new Error(text);
  return block;
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
  allow: rules('github.com', '*.example.org', '93.184.0.0/16'),
  deny: rules('evil.example.org', '93.184.9.9'),
  allowPrivate: [],
  ports: new Set([80, 443]),
  hostAddresses: [ip('93.184.7.7')],
};
const plain: SandboxPolicy = { allowOut: [], denyOut: [], internet: true };

describe('policy', () => {
  it.each([
    ['github.com:443', ['140.82.112.3'], 'allow', 'owner-allow'],
    ['api.github.com:443', ['140.82.112.3'], 'deny', 'not-listed'],
    ['a.b.example.org:80', ['140.82.112.3'], 'allow', 'owner-allow'],
    ['example.org:80', ['140.82.112.3'], 'deny', 'not-listed'],
    ['notexample.org:80', ['140.82.112.3'], 'deny', 'not-listed'],
    ['evil.example.org:443', ['140.82.112.3'], 'deny', 'owner-deny'],
    ['github.com:22', ['140.82.112.3'], 'deny', 'port'],
    ['github.com:443', ['169.254.169.254'], 'deny', 'address'],
    ['github.com:443', ['::ffff:10.0.0.1'], 'deny', 'address'],
    ['github.com:443', ['64:ff9b::a00:1'], 'deny', 'address'],
    ['github.com:443', ['2002:7f00:1::'], 'deny', 'address'],
    ['github.com:443', [], 'deny', 'unresolvable'],
    ['93.184.1.1:443', ['93.184.1.1'], 'allow', 'owner-allow'],
    ['93.184.9.9:443', ['93.184.9.9'], 'deny', 'owner-deny'],
    ['93.184.7.7:443', ['93.184.7.7'], 'deny', 'address'],
    ['8.8.8.8:443', ['8.8.8.8'], 'deny', 'not-listed'],
    ['127.0.0.1:80', ['127.0.0.1'], 'deny', 'address'],
  ])('%s at %j is %s by %s', (authority, addresses, verdict, rule) => {
    expect(judge(target(authority), addresses, owner, plain)).toMatchObject({ verdict, rule });
  });

  it('dials the permitted address when another address of the name is private', () => {
    const verdict = judge(target('github.com:443'), ['10.0.0.1', '140.82.112.3'], owner, plain);
    expect(verdict).toMatchObject({ verdict: 'allow', address: '140.82.112.3' });
  });

  it("applies a sandbox's own rules, but never against the owner's deny-list", () => {
    const closed: SandboxPolicy = {
      allowOut: rules('one.test', '9.9.9.0/24'),
      denyOut: rules('0.0.0.0/0'),
      internet: true,
    };
    expect(judge(target('one.test:443'), ['1.1.1.1'], owner, closed).rule).toBe('sandbox-allow');
    expect(judge(target('9.9.9.9:443'), ['9.9.9.9'], owner, closed).rule).toBe('sandbox-allow');
    expect(judge(target('github.com:443'), ['140.82.112.3'], owner, closed).rule).toBe(
      'sandbox-deny',
    );
    const wide: SandboxPolicy = { ...plain, allowOut: rules('*') };
    expect(judge(target('any.test:443'), ['1.1.1.1'], owner, wide).verdict).toBe('allow');
    expect(judge(target('evil.example.org:443'), ['1.1.1.1'], owner, wide).rule).toBe('owner-deny');
    const offline: SandboxPolicy = { ...plain, internet: false };
    expect(judge(target('github.com:443'), ['140.82.112.3'], owner, offline).rule).toBe(
      'sandbox-deny',
    );
  });

  it('never resolves a name that cannot be allowed', () => {
    expect(judgeName(target('secret-data.attacker.test:443'), owner, { ...plain })).toEqual({
      verdict: 'resolve',
    });
    const byNameOnly = { ...owner, allow: rules('github.com') };
    expect(judgeName(target('secret-data.attacker.test:443'), byNameOnly, plain).verdict).toBe(
      'deny',
    );
  });

  it('only the owner opens a private address, in exactly that block', () => {
    const opened = { ...owner, allowPrivate: [cidr('127.0.0.1/32')], allow: rules('mirror.test') };
    expect(judge(target('mirror.test:80'), ['127.0.0.1'], opened, plain).verdict).toBe('allow');
    expect(judge(target('mirror.test:80'), ['127.0.0.2'], opened, plain).rule).toBe('address');
  });

  it('property: for any rules, an allowed address is public and an owner-denied name is never allowed', () => {
    const privateAddress = fc.oneof(
      fc.ipV4().filter((text) => /^(10|127|0|224|255)\./.test(text)),
      fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `169.254.${a}.${b}`),
      fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `::ffff:192.168.${a}.${b}`),
      fc.nat(0xffff).map((low) => `fd00::${low.toString(16)}`),
      fc.nat(0xffff).map((low) => `64:ff9b::a9fe:${low.toString(16)}`),
    );
    const anyRules = fc.subarray(
      rules('*', 'github.com', '*.test', '10.0.0.0/8', '169.254.0.0/16', '::/0'),
    );
    fc.assert(
      fc.property(
        privateAddress,
        anyRules,
        anyRules,
        anyRules,
        fc.boolean(),
        (address, allow, allowOut, denyOut, internet) => {
          const verdict = judge(
            target('github.com:443'),
            [address],
            { ...owner, allow },
            { allowOut, denyOut, internet },
          );
          expect(verdict.verdict).toBe('deny');
        },
      ),
      { seed: 3, numRuns: 500 },
    );
    fc.assert(
      fc.property(anyRules, anyRules, fc.ipV4(), (allow, allowOut, address) => {
        const denied = { ...owner, allow, deny: rules('github.com') };
        expect(
          judge(target('github.com:443'), [address], denied, { ...plain, allowOut }).verdict,
        ).toBe('deny');
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});
