import { describe, expect, it } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { Failure } from '../failure.ts';
import { openListeners } from './listeners.ts';
import { isFree } from './port.ts';

describe('listening sockets of the host', () => {
  it('[UP15] hold the port until they are closed, and refuse a port in use', async () => {
    const port = await freePort();
    const listeners = await openListeners(port);
    expect(listeners.ipv4).toBeGreaterThan(2);
    expect(await isFree(port)).toBe(false);
    const second = await openListeners(port).catch((error: unknown) => error);
    expect(second).toBeInstanceOf(Failure);
    expect(String(second)).toContain(`port ${port} cannot be listened on`);
    await listeners.close();
    expect(await isFree(port)).toBe(true);
  });
});
