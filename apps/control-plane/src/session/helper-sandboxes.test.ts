import { expect, it } from 'vitest';
import type { BuilderRequest, SandboxPort } from '../sandbox/port.ts';
import { HelperSandboxes } from './helper-sandboxes.ts';

/** Like the real one it has a private field, which only its own methods may access. */
class OneSandbox {
  #made: string | undefined = 'sbx-helper';
  async createBuilder(): Promise<string | undefined> {
    const made = this.#made;
    this.#made = undefined;
    return made;
  }
  async destroy(): Promise<void> {
    this.#made = 'sbx-helper';
  }
}

it('[CP4] helpers of a session are known from their creation to their end', async () => {
  const helpers = new HelperSandboxes();
  // The part of the port that is used here.
  const port = helpers.tracking(() => new OneSandbox() as unknown as SandboxPort)('local');
  const request: BuilderRequest = { name: 'n', template: 'base', timeoutMs: 1, egress: [] };
  expect(await port.createBuilder(request)).toBe('sbx-helper');
  expect([...helpers.ids]).toEqual(['sbx-helper']);
  expect(await port.createBuilder(request)).toBeUndefined();
  await port.destroy('sbx-helper');
  expect([...helpers.ids]).toEqual([]);
});
