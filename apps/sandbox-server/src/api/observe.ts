import { Hono } from 'hono';

import type { Sample } from '../lifecycle/metrics.ts';
import type { SandboxRecord } from '../store/records.ts';
import { sandboxIdOf, type ApiContext } from './context.ts';
import * as schemas from './schemas.ts';

function metricView(record: SandboxRecord, sample: Sample): Record<string, unknown> {
  return {
    timestamp: new Date(sample.atMs).toISOString(),
    timestampUnix: Math.floor(sample.atMs / 1_000),
    cpuCount: record.limits.cpuCount,
    cpuUsedPct: sample.cpuPercent,
    memTotal: record.limits.memoryMb * 2 ** 20,
    memUsed: sample.memoryUsedBytes,
    memCache: sample.memoryCacheBytes,
    diskTotal: sample.diskTotalBytes,
    diskUsed: sample.diskUsedBytes,
  };
}

const MAX_IDS = 100;

/** Metrics and logs of a sandbox. */
export function observeRoutes(api: ApiContext): Hono {
  const { sandboxes, metrics } = api;
  const app = new Hono();

  app.get('/sandboxes/metrics', async (context) => {
    const ids = (context.req.query('sandbox_ids') ?? '').split(',').slice(0, MAX_IDS);
    const found: Record<string, unknown> = {};
    for (const id of ids) {
      const record = sandboxes.find(id);
      const sample = record === undefined ? undefined : (await metrics.read(record)).at(-1);
      if (record !== undefined && sample !== undefined) found[id] = metricView(record, sample);
    }
    return context.json({ sandboxes: found });
  });

  app.get('/sandboxes/:sandboxID/metrics', async (context) => {
    const record = sandboxes.get(sandboxIdOf(context));
    const { start, end } = schemas.parse(schemas.metricsQuery, context.req.query());
    // The wire format has whole seconds: the interval includes all of its last second.
    const endMs = end === undefined ? undefined : end * 1_000 + 999;
    const samples = await metrics.read(record, (start ?? 0) * 1_000, endMs);
    return context.json(samples.map((sample) => metricView(record, sample)));
  });

  app.get('/sandboxes/:sandboxID/logs', (context) => {
    const { id } = sandboxes.get(sandboxIdOf(context));
    const { limit, start } = schemas.parse(schemas.logsQuery, context.req.query());
    const entries = logEntries(api, id, start ?? 0, limit ?? 1_000);
    return context.json({
      logs: entries.map(({ timestamp, message }) => ({ timestamp, line: message })),
      logEntries: entries,
    });
  });

  app.get('/v2/sandboxes/:sandboxID/logs', (context) => {
    const { id } = sandboxes.get(sandboxIdOf(context));
    const { limit } = schemas.parse(schemas.logsQuery, { limit: context.req.query('limit') });
    return context.json({ logs: logEntries(api, id, 0, limit ?? 1_000) });
  });

  return app;
}

function logEntries(api: ApiContext, id: string, startMs: number, limit: number) {
  return api.lifecycle.events
    .of(id)
    .filter(({ atMs }) => atMs >= startMs)
    .slice(-Math.max(limit, 1))
    .map(({ atMs, level, message }) => ({
      timestamp: new Date(atMs).toISOString(),
      level,
      message,
      fields: {},
    }));
}
