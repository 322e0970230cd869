import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LaunchBindings, launchCommand } from './launch.ts';

const config = readFileSync(new URL('workerd.capnp', import.meta.url), 'utf8');
const worker = readFileSync(new URL('src/environment.ts', import.meta.url), 'utf8');

const launched = (bindings: Partial<LaunchBindings>) =>
  launchCommand({
    port: 1,
    ipv6: true,
    objectsFolder: '/o',
    artifactsFolder: '/a',
    pageFolder: '/p',
    hostSocket: 's',
    bindings: { LOCAL_TOKEN: 'any', SECRETS_KEYS: 'any', ...bindings },
  }).args;

describe('launching the control plane', () => {
  it('[LS2] workerd.capnp passes on every environment binding', () => {
    const named = [...worker.matchAll(/^ {2}(\w+)\?: string \| null;$/gm)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(10);
    for (const name of [...named, 'LOCAL_TOKEN', 'SECRETS_KEYS']) {
      expect(config).toContain(`(name = "${name}", fromEnvironment = "SHIP_${name}")`);
    }
  });

  it('[OUT2] each local component is a service with one address; an absent one gets an address without a listener', () => {
    const services = [...config.matchAll(/\(name = "([\w-]+)", external = /g)].map(
      ([, name]) => name,
    );
    const args = launched({
      E2B_SANDBOX_URL: 'http://127.0.0.1:4001',
      FORGE_API_URL: 'http://[::1]/api',
    });
    for (const name of services) expect(args.join(' ')).toContain(`--external-addr=${name}=`);
    expect(args).toContain('--external-addr=sandboxes=127.0.0.1:4001');
    expect(args).toContain('--external-addr=forge=[::1]:80');
    expect(args).toContain('--external-addr=demo-model=unix-abstract:ship-absent');
  });

  it('[OUT2] rejects a component that is not on this machine', () => {
    expect(() => launched({ E2B_API_URL: 'https://api.example.com' })).toThrow('of this machine');
  });

  it('[LS2] bindings are in the environment and on no command line', () => {
    const { args, env } = launchCommand({
      port: 1,
      ipv6: true,
      objectsFolder: '/o',
      artifactsFolder: '/a',
      pageFolder: '/p',
      hostSocket: 's',
      bindings: {
        LOCAL_TOKEN: 'planted-1',
        SECRETS_KEYS: 'planted-2',
        OPENAI_API_KEY: 'planted-3',
      },
    });
    expect(args.join(' ')).not.toContain('planted');
    expect(env).toEqual({
      SHIP_LOCAL_TOKEN: 'planted-1',
      SHIP_SECRETS_KEYS: 'planted-2',
      SHIP_OPENAI_API_KEY: 'planted-3',
    });
  });
});
