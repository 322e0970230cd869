import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { controlPlaneBindings } from './bindings.ts';
import { DataFolder } from './data-folder.ts';

const close = async () => undefined;
const served = () => {
  throw new Error('not called');
};

describe('bindings of the control plane', () => {
  let folder: string;
  let data: DataFolder;
  const nothing = { sandboxes: undefined, forge: undefined, demoModel: undefined };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ship-bindings-'));
    data = DataFolder.open(folder);
  });
  afterEach(() => {
    data.close();
    rmSync(folder, { recursive: true, force: true });
    vi.restoreAllMocks();
  });

  it('[LS2] contain addresses and keys of the local servers, and the user’s exported keys', () => {
    const bindings = controlPlaneBindings(
      data,
      {
        sandboxes: { apiUrl: 'http://s', sandboxUrl: 'http://s', apiKey: 'local-key' },
        forge: { apiUrl: 'http://f', gitUrl: 'http://f/git', close },
        demoModel: { baseUrl: 'http://d/v1', served, close },
        url: 'http://ship.localhost:4400',
      },
      { E2B_API_KEY: 'cloud-key', OPENAI_API_KEY: 'sk-1', GITHUB_TOKEN: '', AWS_SECRET: 'no' },
    );
    expect(bindings).toEqual({
      LOCAL_TOKEN: readFileSync(join(folder, 'secrets/local-token'), 'utf8'),
      SECRETS_KEYS: readFileSync(join(folder, 'secrets/secrets-key'), 'utf8'),
      GATEWAY_SECRET: readFileSync(join(folder, 'secrets/gateway-secret'), 'utf8'),
      FORGE_TOKEN: readFileSync(join(folder, 'secrets/forge-token'), 'utf8'),
      E2B_API_URL: 'http://s',
      E2B_SANDBOX_URL: 'http://s',
      E2B_API_KEY: 'local-key',
      E2B_CLOUD_API_KEY: 'cloud-key',
      FORGE_API_URL: 'http://f',
      FORGE_GIT_URL: 'http://f/git',
      DEMO_MODEL_URL: 'http://d/v1',
      PUBLIC_URL: 'http://ship.localhost:4400',
      OPENAI_API_KEY: 'sk-1',
    });
  });

  it('[LS3] lack a server that could not start, and contain the others', () => {
    const bindings = controlPlaneBindings(data, nothing, {});
    expect(Object.keys(bindings).sort()).toEqual(['GATEWAY_SECRET', 'LOCAL_TOKEN', 'SECRETS_KEYS']);
  });

  it('[LS2] contain models.json unchanged; one that is too long is ignored with a warning', () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    writeFileSync(join(folder, 'models.json'), '{"providers": []}');
    expect(controlPlaneBindings(data, nothing, {}).MODELS_FILE).toBe('{"providers": []}');
    expect(said).not.toHaveBeenCalled();
    writeFileSync(join(folder, 'models.json'), 'x'.repeat(200_000));
    expect(controlPlaneBindings(data, nothing, {}).MODELS_FILE).toBeUndefined();
    expect(said).toHaveBeenCalledWith(expect.stringContaining('models.json is ignored'));
  });
});
