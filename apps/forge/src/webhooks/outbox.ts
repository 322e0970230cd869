import { randomUUID } from 'node:crypto';
import type { WebhookOptions } from '../options.ts';
import type { Deliveries } from '../store/deliveries.ts';

/** Stores events within the transaction of their change, and wakes the sender afterwards. */
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

  /** Building a payload is expensive: check for a subscriber first. */
  hasSubscriber(event: string): boolean {
    return this.#targets.some((target) => subscribed(target, event));
  }

  emit(event: string, payload: unknown): void {
    const text = JSON.stringify(payload);
    for (const target of this.#targets)
      if (subscribed(target, event)) this.#deliveries.add(randomUUID(), target.url, event, text);
    // Runs after the current transaction, which is synchronous.
    setImmediate(this.#wake);
  }
}

function subscribed(target: WebhookOptions, event: string): boolean {
  return (
    target.events === undefined || target.events.includes(event) || target.events.includes('*')
  );
}
