import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launchCommand } from './launch.ts';

const config = readFileSync(new URL('workerd.capnp', import.meta.url), 'utf8');
const worker = readFileSync(new URL('src/environment.ts', import.meta.url), 'utf8');

describe('launching the control plane', () => {
  it('[LS2] what the control plane may be told, the configuration of workerd passes on', () => {
    const named = [...worker.matchAll(/^ {2}(\w+)\?: string \| null;$/gm)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(10);
    for (const name of [...named, 'LOCAL_TOKEN', 'SECRETS_KEYS']) {
      expect(config).toContain(`(name = "${name}", fromEnvironment = "SHIP_${name}")`);
    }
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
