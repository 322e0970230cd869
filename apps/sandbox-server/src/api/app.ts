import { Hono } from 'hono';

import { isDiskFull, messageOf, Refusal } from '../lifecycle/errors.ts';
import { sameSecret } from '../ports/admit.ts';
import { unsupportedRoutes } from './unsupported.ts';
import type { ApiContext } from './context.ts';
import { observeRoutes } from './observe.ts';
import { sandboxRoutes } from './sandboxes.ts';
import { shipRoutes } from './ship.ts';
import { templateRoutes } from './templates.ts';

/** E2B's REST API. Every failure is `{code, message}` with a number; the SDK cannot read anything else. */
export function createApi(api: ApiContext): Hono {
  const app = new Hono();

  app.onError((error, context) => {
    if (error instanceof Refusal) {
      // The rest of an oversized body stays unread, so this connection cannot be reused.
      if (error.status === 413) context.header('connection', 'close');
      return context.json({ code: error.status, message: error.text }, error.status);
    }
    if (isDiskFull(error)) {
      const message =
        'The disk of this machine is full. Kill sandboxes, delete snapshots, or add disk space.';
      return context.json({ code: 507, message }, 507);
    }
    api.lifecycle.events.server(
      'error',
      `${context.req.method} ${context.req.path}: ${error.stack ?? messageOf(error)}`,
    );
    return context.json({ code: 500, message: 'The server failed; its log says why.' }, 500);
  });
  app.notFound((context) =>
    context.json({ code: 404, message: 'There is no such path in this API.' }, 404),
  );

  app.get('/health', (context) => context.json({ status: 'ok' }));

  app.use(async (context, next) => {
    if (!sameSecret(context.req.header('x-api-key') ?? '', api.apiKey)) {
      throw new Refusal(
        401,
        'The API key is missing or wrong.',
        'Set E2B_API_KEY to the key of this server.',
      );
    }
    await next();
  });
  app.get('/teams', (context) =>
    context.json([{ teamID: 'local', name: 'local', apiKey: '', isDefault: true }]),
  );
  app.route('/', observeRoutes(api));
  app.route('/', sandboxRoutes(api));
  app.route('/', templateRoutes(api));
  app.route('/', shipRoutes(api));
  app.route('/', unsupportedRoutes());
  return app;
}
