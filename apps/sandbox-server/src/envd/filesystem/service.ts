import type { Service } from '../connect/server.ts';
import type { Context } from '../context.ts';

export function filesystemService(_context: Context): Service {
  return { unary: {}, serverStream: {}, clientStream: {} };
}
