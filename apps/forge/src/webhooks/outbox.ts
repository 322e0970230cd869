import { randomUUID } from 'node:crypto';
import type { WebhookOptions } from '../options.ts';
import type { Deliveries } from '../store/deliveries.ts';

/** Takes events within the transaction of the change that they tell of, and wakes the sender afterwards. */
export class Outbox {
  readonly #deliveries: Deliveries;
  readonly #targets: readonly WebhookOptions[];
  #wake: () => void = () => undefined;

  constructor(deliveries: Deliveries, targets: readonly WebhookOptions[]) {
    this.#deliveries = deliveries;
    this.#targets = targets;
  }

  onWake(wake: () => void): void {
    this.#wake = wake;
  }

  /** Building a payload asks git for much; nobody should wait for one that nobody gets. */
  wants(event: string): boolean {
    return this.#targets.some((target) => subscribed(target, event));
  }

  emit(event: string, payload: unknown): void {
    const text = JSON.stringify(payload);
    for (const target of this.#targets)
      if (subscribed(target, event)) this.#deliveries.add(randomUUID(), target.url, event, text);
    // After the current transaction, which is synchronous.
    setImmediate(this.#wake);
  }
}

function subscribed(target: WebhookOptions, event: string): boolean {
  return (
    target.events === undefined || target.events.includes(event) || target.events.includes('*')
  );
}
