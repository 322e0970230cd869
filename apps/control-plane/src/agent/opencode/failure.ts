import { type Boundary, type FailureFacts, classify } from '@ship/core';
import { ShipFailure } from '@ship/protocol';
import type { AgentFailure } from '../port.ts';
import type { WireFailure } from './wire.ts';

/** Structure only: the words of a provider may hold parts of a key. */
export function toFailure(error: WireFailure): AgentFailure {
  if (error.name === 'MessageAbortedError') return { kind: 'aborted' };
  // Of its own making, such as a start-up that was broken off; a fresh start of it helps.
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

/** Runs a call to a foreign part; whatever it throws leaves as a ShipFailure. */
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
  // undici says "TypeError: fetch failed" and means its cause; workerd says no more than "Network connection lost".
  const isNetwork = name === 'TypeError' || /network connection lost/i.test(messageOf(error));
  const foundStatus = status ?? cause.status;
  const foundCode = text(code) ?? text(cause.code) ?? (isNetwork ? 'ECONNRESET' : undefined);
  return {
    boundary,
    ...(typeof name === 'string' ? { name } : {}),
    ...(foundCode === undefined ? {} : { code: foundCode }),
    ...(typeof foundStatus === 'number' ? { status: foundStatus } : {}),
    // Whatever else an agent says that nobody understands, such as half an answer of one that was killed in the middle of
    // it: a fresh start helps, and how often that is tried is bounded.
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
