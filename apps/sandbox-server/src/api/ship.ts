import { Hono } from 'hono';

import { canWakeByTraffic } from '../lifecycle/sandboxes.ts';
import { sandboxIdOf, type ApiContext } from './context.ts';
import { parse, refusalsQuery } from './schemas.ts';
import { listedView } from './views.ts';

/** Ship's additions to E2B's protocol. */
export function shipRoutes(api: ApiContext): Hono {
  const { sandboxes, lifecycle } = api;
  const app = new Hono();

  app.get('/ship/capabilities', (context) =>
    context.json({ ...api.capabilities, toolchains: api.toolchains }),
  );
  app.get('/ship/pool', (context) => context.json(api.pool.state()));

  app.get('/ship/sandboxes/:sandboxID', async (context) => {
    const record = sandboxes.get(sandboxIdOf(context));
    const { phase } = record;
    return context.json({
      ...listedView(record),
      keeps: phase.state === 'paused' ? phase.keeps : 'memory',
      processesLostAt:
        record.processesLostAtMs === undefined
          ? null
          : new Date(record.processesLostAtMs).toISOString(),
      evictableSince:
        record.evictableSinceMs === undefined
          ? null
          : new Date(record.evictableSinceMs).toISOString(),
      presence: await lifecycle.backend.presence(record.id),
      wakesByTraffic: canWakeByTraffic(record),
      events: lifecycle.events.of(record.id),
    });
  });

  // The owner does not need the processes now: they may be killed before other sandboxes run out of memory.
  app.post('/ship/sandboxes/:sandboxID/evictable', async (context) => {
    await sandboxes.markEvictable(sandboxIdOf(context));
    return context.body(null, 204);
  });

  app.get('/ship/sandboxes/:sandboxID/ledger', (context) => {
    const { id } = sandboxes.get(sandboxIdOf(context));
    const { entries, unnamed } = lifecycle.ledgers.read(id);
    return context.json({ sandboxID: id, entries, unnamed });
  });

  // A long poll: a client that runs a command inside learns of refusals immediately, with one request per wait.
  app.get('/ship/sandboxes/:sandboxID/refusals', async (context) => {
    const { id } = sandboxes.get(sandboxIdOf(context));
    const { after, waitMs } = parse(refusalsQuery, context.req.query());
    const ledger = lifecycle.ledgers.open(id);
    const isQuiet = after !== undefined && ledger.refusalsAfter(after).refusals.length === 0;
    if (isQuiet && waitMs > 0) {
      const late = AbortSignal.timeout(waitMs);
      await ledger.untilRefusal(AbortSignal.any([late, context.req.raw.signal]));
    }
    return context.json(ledger.refusalsAfter(after));
  });

  return app;
}
