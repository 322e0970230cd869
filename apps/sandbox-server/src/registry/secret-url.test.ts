import { describe, expect, it } from 'vitest';

import { mayContainSecret } from './secret-url.ts';

describe('an address of a registry', () => {
  it.each([
    'https://registry.npmjs.org/',
    'https://nexus.corp.test/repository/npm-group/',
    'https://artifactory.corp.test/artifactory/api/npm/npm-virtual-release-local/',
    'https://gitlab.corp.test/api/v4/projects/1234/packages/npm/',
    'https://pkgs.dev.azure.com/acme/platform/_packaging/feed/npm/registry/',
    'https://acme-123456789012.d.codeartifact.eu-central-1.amazonaws.com/npm/shared/',
  ])('[RG17] %s may be exposed', (url) => {
    expect(mayContainSecret(new URL(url))).toBe(false);
  });

  it.each([
    'https://npm.fury.test/Xk29sdKq0Lmz81PqrT5v/acme/',
    'https://dl.cloudsmith.test/k9Qz7LmN2pXwV4tB/acme/npm/',
    'https://packagecloud.test/priv/0123456789abcdef0123456789abcdef0123456789abcdef/npm/',
    'https://npm.corp.test/9b2f6f0e-2c55-4f5e-9f0a-0c6f2f1d8a77/',
    'https://npm.corp.test/glpat-abcd1234/',
    'https://npm.corp.test/aB3-_9xQ_e1-Zt7_/',
    'https://npm.corp.test/npm;token=abc/',
    'https://npm.corp.test/npm/?key=abc',
    'https://me:word@npm.corp.test/',
  ])('[RG17] %s is withheld', (url) => {
    expect(mayContainSecret(new URL(url))).toBe(true);
  });
});
