import { describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS, Settings, DEFAULT_SETTINGS } from '@ship/protocol';
import { entryFor, networkRules, refusalLine, refusalNote, withEntry } from './allow-list.ts';

const local = { isLocal: true, always: [] };
const refusal = { host: 'npm.corp.test', port: 443, rule: 'not-listed' };
const allowing = (...allow: string[]) =>
  Settings.safeParse({ ...DEFAULT_SETTINGS, egress: { allow } }).success;

describe('the allow-list', () => {
  it('[NW1] becomes rules of the service: only listed hosts, or the service’s default', () => {
    expect(networkRules([], local)).toEqual({});
    expect(networkRules(['a.test'], { isLocal: true, always: ['us.test'] })).toEqual({
      allowOut: ['a.test', 'us.test'],
      denyOut: ['0.0.0.0/0'],
    });
    expect(networkRules([DEFAULT_HOSTS, 'a.test'], local)).toEqual({ allowOut: ['a.test'] });
  });

  it('[NW7] gives hosts at private addresses to the local machine only', () => {
    const allow = ['a.test', 'npm.corp.test=private'];
    expect(networkRules(allow, local).allowOut).toEqual(allow);
    expect(networkRules(allow, { isLocal: false, always: [] }).allowOut).toEqual(['a.test']);
  });

  it('has an entry for a refused host, unless no entry can open it', () => {
    expect(entryFor(refusal)).toBe('npm.corp.test');
    expect(entryFor({ ...refusal, rule: 'server-name', serverName: 'b.test' })).toBe('b.test');
    expect(entryFor({ ...refusal, rule: 'address', address: '10.2.3.4' })).toBe(
      'npm.corp.test=10.2.3.4',
    );
    expect(entryFor({ ...refusal, host: '10.2.3.4', rule: 'address', address: '10.2.3.4' })).toBe(
      '10.2.3.4=private',
    );
    expect(entryFor({ ...refusal, rule: 'address' })).toBeUndefined();
    for (const address of ['127.0.0.1', '169.254.169.254', '::1', 'fe80::1', 'fd00:ec2::254'])
      expect(entryFor({ ...refusal, rule: 'address', address })).toBeUndefined();
    for (const rule of ['port', 'owner-deny', 'malformed', 'unresolvable', 'tls-only'])
      expect(entryFor({ ...refusal, rule })).toBeUndefined();
    expect(entryFor({ ...refusal, host: 'a b' })).toBeUndefined();
  });

  it('keeps the default hosts when the first one is added', () => {
    expect(withEntry([], 'a.test')).toEqual([DEFAULT_HOSTS, 'a.test']);
    expect(withEntry(['b.test'], 'a.test')).toEqual(['b.test', 'a.test']);
    expect(withEntry(['a.test'], 'a.test')).toEqual(['a.test']);
  });

  it('every entry for a refusal is valid in settings', () => {
    const addresses = ['10.2.3.4', 'fd12::9', '::ffff:10.2.3.4', '198.18.0.1'];
    const entries = [
      entryFor(refusal),
      ...addresses.map((address) => entryFor({ ...refusal, rule: 'address', address })),
      entryFor({ ...refusal, host: '10.2.3.4', rule: 'address', address: '10.2.3.4' }),
    ].map((entry) => entry ?? '');
    for (const entry of entries)
      expect([entry, allowing(...withEntry([], entry))]).toEqual([entry, true]);
  });

  it.each(['npm.corp.test=10.0.0.0/8', 'npm.corp.test:8443=private', 'npm.corp.test=fd00::/8'])(
    'settings take %s',
    (entry) => expect(allowing(entry)).toBe(true),
  );
  it.each([
    '*.corp.test=private',
    'npm.corp.test=',
    'npm.corp.test=lan',
    '=private',
    'a=private=private',
    'npm.corp.test=10.0.0.0/33',
    'npm.corp.test=127.0.0.1',
    'npm.corp.test=169.254.0.0/16',
    'npm.corp.test=1.2.3',
    'npm.corp.test:99999=private',
    'ship:other',
    '127.0.0.1=private',
    'npm.corp.test:22=private',
    '10.0.0.1=10.0.0.0/8',
    '1.2.3=private',
  ])('settings refuse %s', (entry) => expect(allowing(entry)).toBe(false));

  it('describes a refusal in one line, and tells the agent what to do', () => {
    expect(refusalLine(refusal)).toBe(
      'Ship refused npm.corp.test (rule not-listed): allow it in Settings → Network (npm.corp.test).',
    );
    expect(refusalLine({ ...refusal, rule: 'port', port: 22 })).toBe(
      'Ship refused npm.corp.test (rule port).',
    );
    expect(refusalNote([])).toBe('');
    expect(refusalNote([refusal, refusal]).match(/Ship refused/g)).toHaveLength(1);
  });
});
