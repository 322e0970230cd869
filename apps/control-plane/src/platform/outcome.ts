import { type ShipError, ShipFailure } from '@ship/protocol';

/** An answer of the object. A refusal is a value: an exception loses its code on the way out of the object. */
export type Outcome<Value> = { ok: true; value: Value } | { ok: false; error: ShipError };

/** Turns a refusal that was thrown inside the object into its answer. What was not foreseen goes on as it is. */
export function refusal(thrown: unknown): { ok: false; error: ShipError } {
  if (thrown instanceof ShipFailure) return { ok: false, error: thrown.error };
  throw thrown;
}

/** What the work gives, or why it was refused. */
export async function outcomeOf<Value>(work: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    return refusal(thrown);
  }
}

/** The other side of it, for callers that have nothing better to do with a refusal than to pass it on. */
export function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new ShipFailure(outcome.error);
}
