import { ShipFailure, fail } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { ZodError } from 'zod';
import { attempt } from './failure.ts';

const errorOf = async (boundary: 'agent' | 'sandbox', thrown: unknown) => {
  const failure = await attempt(boundary, () => Promise.reject(thrown)).catch(
    (error: unknown) => error,
  );
  return failure instanceof ShipFailure ? failure.error : undefined;
};

describe('errors of calls to the agent', () => {
  it.each([
    ['half an answer', new SyntaxError('Unexpected end of JSON input')],
    ['an answer of another shape', new ZodError([])],
    ['an answer that is no error', { code: 502, message: 'The sandbox was not found' }],
    ['nothing at all', undefined],
  ])('[AG21] %s is transient: a fresh agent may answer', async (_, thrown) => {
    expect(await errorOf('agent', thrown)).toMatchObject({ category: 'transient' });
  });

  it('[AG21] an error with a status is classified by it', async () => {
    const thrown = Object.assign(new Error('no'), { cause: { status: 404 } });
    expect(await errorOf('agent', thrown)).toMatchObject({ code: 'gone' });
  });

  it('an unknown error of the sandbox service stays internal', async () => {
    expect(await errorOf('sandbox', new SyntaxError('?'))).toMatchObject({ code: 'internal' });
  });

  it('a ShipFailure passes unchanged', async () => {
    const thrown = await attempt('agent', async () => fail('conflict', 'No.', 'Do.')).catch(
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ error: { code: 'conflict' } });
  });
});
