import type { SandboxRecord } from '../store/records.ts';
import { sandboxPolicy } from '../egress/network-rules.ts';
import { erase } from './boot.ts';
import type { LifecycleContext, TemplateCatalog } from './context.ts';
import { messageOf } from './errors.ts';
import { markLost } from './pause.ts';
import type { WarmPool } from './pool.ts';
import { reconcile } from './reconcile.ts';
import type { Sandboxes } from './sandboxes.ts';

interface StartupReport {
  kept: number;
  lost: number;
  destroyed: number;
  orphans: number;
}

/** Reconciles the machine and the records after the server was down. */
export async function recover(
  context: LifecycleContext,
  sandboxes: Sandboxes,
  pool: WarmPool,
  catalog: TemplateCatalog,
): Promise<StartupReport> {
  const report: StartupReport = { kept: 0, lost: 0, destroyed: 0, orphans: 0 };
  for (const layer of context.layers.all()) {
    if (layer.ready) continue;
    await context.backend.removeLayer(layer.id);
    await context.layers.delete(layer.id);
  }
  for (const record of context.records.all()) {
    try {
      await recoverOne(
        context,
        sandboxes,
        (found) => isWanted(pool, catalog, found),
        record,
        report,
      );
    } catch (error) {
      context.events.add(record.id, 'error', `it could not be adopted: ${messageOf(error)}`);
    }
  }
  // A start begins before its record is on disk: its first trace may be any of these.
  const traces = new Set([...(await context.backend.list()), ...(await context.egress.list())]);
  for (const id of traces) {
    if (context.records.get(id) !== undefined) continue;
    context.events.server('warn', `${id} has no record and is removed`);
    await erase(context, id);
    report.orphans += 1;
  }
  await sandboxes.layers.collect();
  return report;
}

async function recoverOne(
  context: LifecycleContext,
  sandboxes: Sandboxes,
  joinPool: (record: SandboxRecord) => Promise<boolean>,
  record: SandboxRecord,
  report: StartupReport,
): Promise<void> {
  const action = reconcile(record.phase, await context.backend.presence(record.id));
  const unwanted = action.do === 'pool' && !(await joinPool(record));
  if (action.do === 'destroy' || unwanted) {
    const why = action.do === 'destroy' ? action.why : 'the pool does not need it';
    context.events.add(record.id, 'info', `removed at start: ${why}`);
    await erase(context, record.id);
    report.destroyed += 1;
    return;
  }
  if (action.do === 'mark-lost') {
    report.lost += 1;
    await sandboxes.adopt(markLost(context, record));
    return;
  }
  if (action.do === 'thaw') await context.backend.thaw(record.id);
  if (action.do === 'freeze') await context.backend.freeze(record.id);
  if (action.do === 'stop') await context.backend.stop(record.id);
  const policy = sandboxPolicy(record.network, record.allowInternetAccess);
  await context.egress.open(record.id, context.ledgers.open(record.id), policy);
  report.kept += 1;
  if (action.do !== 'pool') await sandboxes.adopt(record);
}

/** A pooled sandbox of an earlier version of its template would never be claimed. */
async function isWanted(
  pool: WarmPool,
  catalog: TemplateCatalog,
  record: SandboxRecord,
): Promise<boolean> {
  const layer = await catalog.layerOf(record.templateId).catch(() => undefined);
  return layer === record.layer && pool.adopt(record.alias ?? '', record);
}
