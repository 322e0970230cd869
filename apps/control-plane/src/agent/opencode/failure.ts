import { type Boundary, type FailureFacts, classify } from '@ship/core';
import { ShipFailure } from '@ship/protocol';
import type { AgentFailure } from '../port.ts';
import type { WireFailure } from './wire.ts';

/** Uses the structure only: a provider's message may contain parts of a key. */
export function toFailure(error: WireFailure): AgentFailure {
  if (error.name === 'MessageAbortedError') return { kind: 'aborted' };
  // The agent's own failure, such as an interrupted start-up; a fresh start helps.
  if (error.name === 'UnknownError') {
    return { kind: 'error', facts: { boundary: 'agent', isRetryable: true } };
  }
  if (error.name !== 'APIError') {
    return { kind: 'error', facts: { boundary: 'model', name: error.name } };
  }
  const { statusCode, isRetryable } = error.data;
  return {
    kind: 'error',
    facts: {
      boundary: 'model',
      ...(statusCode === undefined ? {} : { status: statusCode }),
      ...(isRetryable === undefined ? {} : { isRetryable }),
    },
  };
}

/** Runs a call to a foreign component and converts anything that it throws to a ShipFailure. */
export async function attempt<T>(boundary: Boundary, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ShipFailure
      ? error
      : new ShipFailure(classify(factsOf(boundary, error)));
  }
}

function factsOf(boundary: Boundary, error: unknown): FailureFacts {
  const { name, code, status } = fieldsOf(error);
  const cause = fieldsOf(fieldsOf(error).cause);
  // undici throws "TypeError: fetch failed" with the reason as its cause; workerd says only "Network connection lost".
  const isNetwork = name === 'TypeError' || /network connection lost/i.test(messageOf(error));
  const foundStatus = status ?? cause.status;
  const foundCode = text(code) ?? text(cause.code) ?? (isNetwork ? 'ECONNRESET' : undefined);
  return {
    boundary,
    ...(typeof name === 'string' ? { name } : {}),
    ...(foundCode === undefined ? {} : { code: foundCode }),
    ...(typeof foundStatus === 'number' ? { status: foundStatus } : {}),
    // For any other failure of an agent, such as half an answer of one that was killed: a fresh start helps, and the number of
    // retries is bounded.
    ...(boundary === 'agent' ? { isRetryable: true } : {}),
  };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null
    ? { ...value, name: Reflect.get(value, 'name'), cause: Reflect.get(value, 'cause') }
    : {};
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
