import { type Boundary, classify } from '@ship/core';
import { type ShipError, ShipFailure } from '@ship/protocol';

/** Classifies a thrown value by its structure. Clients wrap the real failure: the first informative one in the chain counts. */
export function foreignFailure(boundary: Boundary, thrown: unknown): ShipError {
  if (thrown instanceof ShipFailure) return thrown.error;
  const chain = causes(thrown);
  const name = chain.map((link) => textOf(link, 'name')).find((text) => text !== 'Error');
  const code = chain.map((link) => textOf(link, 'code')).find((text) => text !== undefined);
  const status = chain.map(statusOf).find((found) => found !== undefined);
  if (status === undefined && chain.some(isLostConnection))
    return classify({ boundary, code: 'ECONNRESET' });
  if (name === undefined && code === undefined && status === undefined)
    return classify({ boundary });
  // fetch throws a bare TypeError when nothing answers.
  const isNetwork = name === 'TypeError' && code === undefined && status === undefined;
  return classify({
    boundary,
    ...(name !== undefined && { name }),
    ...(isNetwork ? { code: 'ECONNREFUSED' } : code !== undefined && { code }),
    ...(status !== undefined && { status }),
  });
}

/** Runs the work and converts its failure to a `ShipFailure`. */
export async function calling<Value>(
  boundary: Boundary,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw new ShipFailure(foreignFailure(boundary, thrown));
  }
}

/** workerd reports a missing or lost connection as a plain Error with this mark; its message varies. */
function isLostConnection(link: unknown): boolean {
  return link instanceof Error && Reflect.get(link, 'retryable') === true;
}

const MAX_CAUSES = 5;

function causes(thrown: unknown): unknown[] {
  const chain: unknown[] = [];
  for (
    let link = thrown;
    link !== undefined && link !== null && chain.length < MAX_CAUSES;
    link = link instanceof Error ? link.cause : undefined
  )
    chain.push(link);
  return chain;
}

function textOf(link: unknown, key: 'name' | 'code'): string | undefined {
  const value: unknown = typeof link === 'object' && link !== null ? Reflect.get(link, key) : null;
  return typeof value === 'string' ? value : undefined;
}

function statusOf(link: unknown): number | undefined {
  for (const key of ['status', 'statusCode']) {
    const value: unknown =
      typeof link === 'object' && link !== null ? Reflect.get(link, key) : undefined;
    if (typeof value === 'number') return value;
  }
  return undefined;
}
