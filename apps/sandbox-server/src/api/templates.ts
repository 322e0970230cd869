import { createHash } from 'node:crypto';
import { Hono } from 'hono';

import { ENVD_VERSION } from '../envd/config.ts';
import type { TemplateInfo } from '../lifecycle/context.ts';
import { Refusal } from '../lifecycle/errors.ts';
import { findLayer, findSource, findTemplate } from '../lifecycle/sources.ts';
import type { LayerRecord } from '../store/records.ts';
import type { ApiContext } from './context.ts';
import { pageOf } from './paging.ts';
import * as schemas from './schemas.ts';
import { snapshotView } from './views.ts';

const DEFAULT_LIMIT = 100;
/** Local templates have no build history: one build with a zero id stands for the current one. */
const ONLY_BUILD = '00000000-0000-0000-0000-000000000000';

interface Listed {
  templateId: string;
  names: string[];
  createdAtMs: number;
  limits: TemplateInfo['limits'];
}

const listedLayer = (layer: LayerRecord): Listed => ({ ...layer, templateId: layer.snapshotId });

function templateView(template: Listed): Record<string, unknown> {
  const at = new Date(template.createdAtMs).toISOString();
  return {
    templateID: template.templateId,
    names: template.names,
    aliases: template.names,
    public: false,
    cpuCount: template.limits.cpuCount,
    memoryMB: template.limits.memoryMb,
    diskSizeMB: template.limits.diskMb,
    envdVersion: ENVD_VERSION,
    createdAt: at,
    updatedAt: at,
    lastSpawnedAt: null,
    spawnCount: 0,
    buildCount: 1,
    buildID: ONLY_BUILD,
    buildStatus: 'ready',
    createdBy: null,
  };
}

/** Changes whenever the template's files change, so that clients can invalidate what they derived from it. */
function buildIdOf(layer: string): string {
  const hex = createHash('sha256').update(layer).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}

function notFound(reference: string): Refusal {
  return new Refusal(
    404,
    `Template ${JSON.stringify(reference.slice(0, 128))} was not found.`,
    'See GET /templates.',
  );
}

/** Templates are folders on this machine, snapshots are layers captured from sandboxes; E2B lists both as templates. */
export function templateRoutes(api: ApiContext): Hono {
  const { sandboxes, lifecycle, catalog } = api;
  const app = new Hono();

  const find = async (reference: string): Promise<Listed> => {
    const layer = findLayer(lifecycle.layers, reference);
    const found = layer === undefined ? await findTemplate(catalog, reference) : listedLayer(layer);
    if (found === undefined) throw notFound(reference);
    return found;
  };
  for (const path of ['/templates', '/v2/templates']) {
    app.get(path, async (context) => {
      const all = [...(await catalog.list()), ...sandboxes.layers.listed().map(listedLayer)];
      return context.json(all.map(templateView));
    });
  }

  app.get('/templates/aliases/:alias', async (context) => {
    const template = await find(context.req.param('alias'));
    return context.json({ templateID: template.templateId, public: false });
  });

  app.get('/templates/:templateID', async (context) => {
    const view = templateView(await find(context.req.param('templateID')));
    const { cpuCount, memoryMB, createdAt, updatedAt } = view;
    const build = {
      buildID: ONLY_BUILD,
      status: 'ready',
      cpuCount,
      memoryMB,
      createdAt,
      updatedAt,
    };
    return context.json({ ...view, builds: [build] });
  });

  app.get('/templates/:templateID/tags', async (context) => {
    const template = await find(context.req.param('templateID'));
    const createdAt = new Date(template.createdAtMs).toISOString();
    const { layer } = await findSource(catalog, lifecycle.layers, template.templateId);
    return context.json([{ tag: 'default', buildID: buildIdOf(layer), createdAt }]);
  });

  app.delete('/templates/:templateID', async (context) => {
    const reference = context.req.param('templateID');
    if (await sandboxes.layers.remove(reference)) return context.body(null, 204);
    if ((await findTemplate(catalog, reference)) === undefined) throw notFound(reference);
    throw new Refusal(
      403,
      `${JSON.stringify(reference.slice(0, 128))} is a template folder on this machine.`,
      'Remove its folder and restart the server.',
    );
  });

  app.get('/snapshots', (context) => {
    const query = schemas.parse(schemas.snapshotsQuery, context.req.query());
    const named = query.name === undefined ? undefined : findLayer(lifecycle.layers, query.name);
    const found = sandboxes.layers
      .listed()
      .filter(
        (layer) =>
          (query.sandboxID === undefined || layer.sourceSandboxId === query.sandboxID) &&
          (query.name === undefined || layer.id === named?.id),
      );
    const { items, nextToken } = pageOf(
      found,
      (layer) => ({ id: layer.id, atMs: layer.createdAtMs }),
      {
        limit: query.limit ?? DEFAULT_LIMIT,
        order: 'desc',
        after: query.nextToken,
      },
    );
    if (nextToken !== undefined) context.header('x-next-token', nextToken);
    return context.json(items.map(snapshotView));
  });

  return app;
}
