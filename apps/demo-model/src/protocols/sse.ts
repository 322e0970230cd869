import type { Frame } from '../answer.ts';

export function dataFrame(data: unknown, tokens = 0): Frame {
  return { sse: `data: ${JSON.stringify(data)}\n\n`, tokens };
}

export function eventFrame(event: string, data: unknown, tokens = 0): Frame {
  return { sse: `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`, tokens };
}
