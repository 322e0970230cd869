import { type ShipError, ShipFailure } from '@ship/protocol';

/** The result of an RPC call to a Durable Object. Errors are values: an exception loses its code across RPC. */
export type Result<Value> = { ok: true; value: Value } | { ok: false; error: ShipError };

/** Converts a ShipFailure into an error result. Unexpected errors are thrown on. */
export function refusal(thrown: unknown): { ok: false; error: ShipError } {
  if (thrown instanceof ShipFailure) return { ok: false, error: thrown.error };
  throw thrown;
}

export async function resultOf<Value>(work: () => Promise<Value>): Promise<Result<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    return refusal(thrown);
  }
}

/** Returns the value or throws the error, for callers that only pass it on. */
export function unwrap<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new ShipFailure(result.error);
}
