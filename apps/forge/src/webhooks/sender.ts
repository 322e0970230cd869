import { createHmac } from 'node:crypto';
import { limits } from '../limits.ts';
import type { WebhookOptions } from '../options.ts';
import type { Deliveries } from '../store/deliveries.ts';
import type { DeliveryRow } from '../store/rows.ts';

export function signature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Exponential backoff: 1, 2, 4, 8 times the first delay. */
export function retryDelayMs(firstMs: number, attempts: number): number {
  return firstMs * 2 ** Math.min(attempts - 1, 10);
}

/**
 * One loop per target, in order. A target that is down delays only its own events, for a limited number of attempts each.
 * Deliveries are at least once: after a crash an event may be sent again with the same delivery id.
 */
export class Sender {
  readonly #deliveries: Deliveries;
  readonly #targets: readonly WebhookOptions[];
  readonly #retryMs: number;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #log: (line: string) => void;

  constructor(
    deliveries: Deliveries,
    targets: readonly WebhookOptions[],
    retryMs: number,
    log: (line: string) => void,
  ) {
    this.#deliveries = deliveries;
    this.#targets = targets;
    this.#retryMs = retryMs;
    this.#log = log;
  }

  wake(): void {
    if (this.#stop.signal.aborted) return;
    for (const target of this.#targets) {
      if (this.#running.has(target.url)) continue;
      const loop = this.#drain(target)
        .catch((error: unknown) => this.#log(`webhooks: ${String(error)}`))
        .finally(() => this.#running.delete(target.url));
      this.#running.set(target.url, loop);
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running.values());
  }

  async #drain(target: WebhookOptions): Promise<void> {
    for (;;) {
      const delivery = this.#deliveries.next(target.url);
      if (delivery === undefined || this.#stop.signal.aborted) return;
      const delivered = await this.#send(target, delivery);
      if (this.#stop.signal.aborted && !delivered) return;
      const attempts = delivery.attempts + 1;
      const state = delivered
        ? 'delivered'
        : attempts < limits.webhookAttempts
          ? 'waiting'
          : 'failed';
      this.#deliveries.recordAttempt(delivery.id, attempts, state);
      if (state === 'failed') this.#log(`webhooks: gave up on ${delivery.event} ${delivery.guid}`);
      if (state === 'waiting') await this.#pause(retryDelayMs(this.#retryMs, attempts));
    }
  }

  async #send(target: WebhookOptions, delivery: DeliveryRow): Promise<boolean> {
    try {
      const response = await fetch(target.url, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(limits.webhookTimeoutMs)]),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'GitHub-Hookshot/ship-forge',
          'x-github-delivery': delivery.guid,
          'x-github-event': delivery.event,
          'x-github-hook-installation-target-type': 'repository',
          'x-hub-signature-256': signature(target.secret, delivery.payload),
        },
        body: delivery.payload,
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
}
