import { QueryClient, QueryObserver, environmentManager } from '@tanstack/react-query';
import { ShipFailure, shipError } from '@ship/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { queryDefaults, retryIntervalMs } from './query-defaults.ts';

const failure = (code: 'timed-out' | 'unreachable' | 'not-found') =>
  new ShipFailure(shipError(code, 'No.', 'Wait.'));

const after = (errorUpdateCount: number) =>
  retryIntervalMs({ state: { error: failure('timed-out'), errorUpdateCount } });

describe('reads of the web app', () => {
  let client: QueryClient;
  beforeEach(() => {
    vi.useFakeTimers();
    // Without a window, TanStack Query assumes a server, which does not refetch.
    environmentManager.setIsServer(() => false);
    client = new QueryClient({ defaultOptions: { queries: queryDefaults } });
  });
  afterEach(() => {
    client.clear();
    vi.useRealTimers();
    environmentManager.setIsServer(() => true);
  });

  /** A query with an active observer. */
  const watch = (read: () => Promise<string>) => {
    const observer = new QueryObserver(client, { queryKey: ['x'], queryFn: read });
    return { observer, stop: observer.subscribe(() => undefined) };
  };

  it('[WB19] a transient failure is refetched automatically', async () => {
    const read = vi
      .fn<() => Promise<string>>(async () => 'here')
      .mockRejectedValueOnce(failure('timed-out'))
      .mockRejectedValueOnce(failure('unreachable'))
      .mockRejectedValueOnce(failure('timed-out'));
    const { observer, stop } = watch(read);
    await vi.advanceTimersByTimeAsync(0);
    // Shown at once, not only after the last attempt.
    expect(observer.getCurrentResult().error).toMatchObject({ error: { code: 'timed-out' } });
    await vi.advanceTimersByTimeAsync(1_000 + 2_000 + 4_000 + 100);
    expect(observer.getCurrentResult()).toMatchObject({ data: 'here', error: null });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(read).toHaveBeenCalledTimes(4);
    stop();
  });

  it('[WB19] permanent failures and unobserved queries are not refetched', async () => {
    const refused = vi.fn<() => Promise<string>>(() => Promise.reject(failure('not-found')));
    const { stop } = watch(refused);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(refused).toHaveBeenCalledTimes(1);
    stop();
    client.clear();
    const away = vi.fn<() => Promise<string>>(() => Promise.reject(failure('unreachable')));
    watch(away).stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(away).toHaveBeenCalledTimes(1);
  });

  it('backs off up to a limit', () => {
    expect([1, 2, 3, 4, 5, 99].map(after)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  });
});
