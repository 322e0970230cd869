import { describe, expect, it } from 'vitest';
import { withBoundedEvents } from './event-size.ts';

const encoder = new TextEncoder();

function read(chunks: string[], maxBytes: number): Promise<string> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
  return withBoundedEvents(new Response(body), maxBytes).text();
}

describe('a stream of events', () => {
  it('[RL7] passes unchanged, however many events it has and however it is cut into pieces', async () => {
    const pieces = ['data: 12', '3\n', '\ndata: 4\r\n\r', '\ndata: 5\n\n'];
    expect(await read(pieces, 20)).toBe(pieces.join(''));
    const many = Array.from({ length: 100 }, () => 'data: 123\n\n');
    expect(await read(many, 20)).toBe(many.join(''));
  });

  it.each([
    ['in one piece', [`data: ${'x'.repeat(30)}`]],
    ['in many', Array.from({ length: 30 }, () => 'x')],
    ['of many short lines', Array.from({ length: 15 }, () => 'x\n')],
  ])('[RL7] breaks off in an event that is too long, %s', async (_, pieces) => {
    await expect(read(pieces, 20)).rejects.toThrow('too long');
  });

  it('an answer without a body stays as it is', () => {
    const empty = new Response(null, { status: 204 });
    expect(withBoundedEvents(empty)).toBe(empty);
  });
});
