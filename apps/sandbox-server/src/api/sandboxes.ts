import { Hono } from 'hono';

import { forkSandbox, takeSnapshot } from '../lifecycle/snapshots.ts';
import { Refusal } from '../lifecycle/errors.ts';
import { updateNetwork } from '../lifecycle/network-update.ts';
import { findSource, findTemplate, normalizeName } from '../lifecycle/sources.ts';
import { checkTimeout, jsonBody, sandboxIdOf, type ApiContext } from './context.ts';
import { metadataFilter, pageOf } from './paging.ts';
import * as schemas from './schemas.ts';
import { detailView, listedView, sandboxView, snapshotView } from './views.ts';
import { outboundOf, createOptionsOf } from './create-options.ts';

const DEFAULT_LIMIT = 100;
/** Defaults of the two API versions: the older one has short timeouts and optional security, the newer always secures. */
const GENERATIONS = {
  v1: { timeoutSeconds: 15, alwaysSecure: false },
  v2: { timeoutSeconds: 300, alwaysSecure: true },
} as const;

function statesOf(text: string | undefined): Set<string> {
  const states = new Set((text ?? 'running,paused').split(','));
  for (const state of states) {
    if (state !== 'running' && state !== 'paused') {
      throw new Refusal(
        400,
        `Bad request: state: ${JSON.stringify(state)} is not a valid state.`,
        'Use running or paused.',
      );
    }
  }
  return states;
}

export function sandboxRoutes(api: ApiContext): Hono {
  const { sandboxes, lifecycle } = api;
  const app = new Hono();

  for (const [generation, path] of [
    ['v1', '/sandboxes'],
    ['v2', '/v2/sandboxes'],
  ] as const) {
    app.post(path, async (context) => {
      const body = schemas.parse(schemas.newSandbox, await jsonBody(context));
      const wanted = createOptionsOf(body, GENERATIONS[generation]);
      checkTimeout(api, wanted.timeoutMs);
      const source = await findSource(api.catalog, lifecycle.layers, body.templateID);
      const record = await sandboxes.create({ source, ...wanted });
      return context.json(sandboxView(record, api.domain), 201);
    });

    app.post(`${path}/:sandboxID/connect`, async (context) => {
      const id = sandboxIdOf(context);
      const body = schemas.parse(schemas.connectSandbox, await jsonBody(context));
      const timeoutMs = (body.timeout ?? GENERATIONS[generation].timeoutSeconds) * 1_000;
      const fromFiles = body.memory === false;
      const { record, resumed } = await sandboxes.connect(
        id,
        checkTimeout(api, timeoutMs),
        fromFiles,
      );
      return context.json(sandboxView(record, api.domain), resumed ? 201 : 200);
    });
  }

  app.get('/sandboxes', (context) => {
    const matches = metadataFilter(context.req.query('metadata'));
    const running = sandboxes
      .visible()
      .filter(({ phase, metadata }) => phase.state === 'running' && matches(metadata));
    return context.json(running.map(listedView));
  });

  app.get('/v2/sandboxes', (context) => {
    const query = schemas.parse(schemas.listQuery, context.req.query());
    const states = statesOf(query.state);
    const matches = metadataFilter(query.metadata);
    const afterMs = query.startedAfter === undefined ? 0 : Date.parse(query.startedAfter);
    const template = query.template === undefined ? undefined : normalizeName(query.template);
    const found = sandboxes
      .visible()
      .filter(
        (record) =>
          states.has(record.phase.state) &&
          record.startedAtMs >= afterMs &&
          (template === undefined || record.templateId === template || record.alias === template) &&
          matches(record.metadata),
      );
    const { items, nextToken } = pageOf(
      found,
      (record) => ({ id: record.id, atMs: record.startedAtMs }),
      {
        limit: query.limit ?? DEFAULT_LIMIT,
        order: query.order ?? 'desc',
        after: query.nextToken,
      },
    );
    if (nextToken !== undefined) context.header('x-next-token', nextToken);
    if (states.has('running')) {
      const running = found.filter(({ phase }) => phase.state === 'running').length;
      context.header('x-total-running', String(running));
    }
    return context.json(items.map(listedView));
  });

  app.get('/sandboxes/:sandboxID', (context) =>
    context.json(detailView(sandboxes.get(sandboxIdOf(context)), api.domain)),
  );

  app.delete('/sandboxes/:sandboxID', async (context) => {
    await sandboxes.kill(sandboxIdOf(context));
    return context.body(null, 204);
  });

  app.post('/sandboxes/:sandboxID/timeout', async (context) => {
    const body = schemas.parse(schemas.setTimeoutBody, await jsonBody(context));
    await sandboxes.setTimeout(sandboxIdOf(context), checkTimeout(api, body.timeout * 1_000));
    return context.body(null, 204);
  });

  app.post('/sandboxes/:sandboxID/refreshes', async (context) => {
    const body = schemas.parse(schemas.refreshBody, await jsonBody(context));
    await sandboxes.extend(sandboxIdOf(context), checkTimeout(api, (body.duration ?? 15) * 1_000));
    return context.body(null, 204);
  });

  app.post('/sandboxes/:sandboxID/pause', async (context) => {
    const body = schemas.parse(schemas.pauseSandbox, await jsonBody(context));
    await sandboxes.pause(sandboxIdOf(context), body.memory === false ? 'files' : 'memory');
    return context.body(null, 204);
  });

  app.post('/sandboxes/:sandboxID/resume', async (context) => {
    const id = sandboxIdOf(context);
    const body = schemas.parse(schemas.resumeSandbox, await jsonBody(context));
    if (sandboxes.get(id).phase.state === 'running') {
      throw new Refusal(409, `Sandbox ${id} is already running.`);
    }
    const timeoutMs = checkTimeout(api, (body.timeout ?? GENERATIONS.v1.timeoutSeconds) * 1_000);
    const { record } = await sandboxes.connect(id, timeoutMs, body.memory === false);
    return context.json(sandboxView(record, api.domain), 201);
  });

  app.post('/sandboxes/:sandboxID/snapshots', async (context) => {
    const body = schemas.parse(schemas.snapshotBody, await jsonBody(context));
    const name = body.name ?? undefined;
    if (name !== undefined && (await findTemplate(api.catalog, name)) !== undefined) {
      throw new Refusal(
        409,
        `${JSON.stringify(name)} is the name of a template.`,
        'Choose another name.',
      );
    }
    const layer = await takeSnapshot(sandboxes, sandboxIdOf(context), name);
    return context.json(snapshotView(layer), 201);
  });

  app.post('/sandboxes/:sandboxID/fork', async (context) => {
    const id = sandboxIdOf(context);
    const body = schemas.parse(schemas.forkBody, await jsonBody(context));
    const timeoutMs = checkTimeout(api, (body.timeout ?? GENERATIONS.v2.timeoutSeconds) * 1_000);
    const forks = await forkSandbox(sandboxes, id, body.count ?? 1, timeoutMs);
    return context.json(
      forks.map((fork) =>
        fork instanceof Refusal
          ? { error: { code: fork.status, message: fork.text } }
          : { sandbox: sandboxView(fork, api.domain) },
      ),
      201,
    );
  });

  app.put('/sandboxes/:sandboxID/network', async (context) => {
    const id = sandboxIdOf(context);
    const body = schemas.parse(schemas.networkUpdate, await jsonBody(context));
    const internet = body.allow_internet_access ?? undefined;
    await updateNetwork(lifecycle, sandboxes, id, outboundOf(body), internet);
    return context.body(null, 204);
  });

  return app;
}
