import { describe, expect, it } from 'vitest';
import { setupName } from '../src/setups/name.ts';

const scope = { repository: '/srv/app', base: '', provider: 'local' as const };
const parts = { scope, key: 'k', secrets: { A: '1', B: '2' }, salt: 's'.repeat(32) };
const built = (build: string) => ({ buildOf: async () => build });

describe('the name of a kept setup', () => {
  it('[KS5] changes with the secret, input, template, repository, branch or installation', async () => {
    const names = await Promise.all([
      setupName(built('one'), parts),
      setupName(built('two'), parts),
      setupName(built('one'), { ...parts, secrets: { A: '1', B: '3' } }),
      setupName(built('one'), { ...parts, key: 'l' }),
      setupName(built('one'), { ...parts, salt: 't'.repeat(32) }),
      setupName(built('one'), { ...parts, scope: { ...scope, base: 'next' } }),
      setupName(built('one'), { ...parts, scope: { ...scope, repository: '/srv/other' } }),
    ]);
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toMatch(/^ship-setup-[0-9a-f]{32}$/);
  });

  it('[KS5] does not depend on the order of secrets; a service without a build id still gets a name', async () => {
    const swapped = { ...parts, secrets: { B: '2', A: '1' } };
    expect(await setupName(built('one'), swapped)).toBe(await setupName(built('one'), parts));
    const silent = { buildOf: () => Promise.reject(new Error('no')) };
    expect(await setupName(silent, parts)).toBe(await setupName(built(''), parts));
  });
});
