import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { RepositoryRow } from '../store/rows.ts';
import type { Actor } from './actor.ts';
import { badRequest, forbidden, notFound } from './errors.ts';

export interface Env {
  Bindings: HttpBindings;
  Variables: { actor: Actor; repository: RepositoryRow };
}

export type ForgeContext = Context<Env>;

/** A numeric path parameter, such as the number of an issue. Anything else is a 404. */
export function idParam(c: ForgeContext, name: string): number {
  const value = c.req.param(name) ?? '';
  if (!/^[1-9]\d{0,14}$/.test(value)) throw notFound();
  return Number(value);
}

/** A text parameter of the path: a branch, a label, a file. */
export function textParam(c: ForgeContext, name: string): string {
  const value = c.req.param(name) ?? '';
  if (value.includes('\0')) throw badRequest('The path contains a NUL.');
  return value;
}

export function requireWrite(c: ForgeContext): void {
  if (!c.get('actor').canWrite) throw forbidden('Resource not accessible by personal access token');
  const repository = c.get('repository') as RepositoryRow | undefined;
  if (repository?.archived === 1) throw forbidden('Repository was archived so is read-only.');
}
