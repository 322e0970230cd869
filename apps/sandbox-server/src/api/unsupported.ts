import { Hono } from 'hono';

import { Refusal } from '../lifecycle/errors.ts';

/** E2B cloud features that a single machine does not have: each answers with a message and an alternative. */
const UNSUPPORTED: readonly (readonly [
  paths: readonly string[],
  message: string,
  remedy: string,
])[] = [
  [
    ['/volumes', '/volumes/*', '/volumecontent/*'],
    'Volumes are not available on this server.',
    'Keep data in the sandbox, pause it, and share files by snapshots.',
  ],
  [
    ['/secrets', '/secrets/*'],
    'Secrets are not available on this server: no secret ever enters one of its sandboxes.',
    'Let the model or git gateway add credentials outside the sandbox.',
  ],
  [
    [
      '/v3/templates',
      '/v2/templates/*',
      '/templates/tags',
      '/templates/*/files/*',
      '/templates/*/builds/*',
    ],
    'Template builds by the SDK are not available on this server.',
    'Add a folder under templates/ with a setup script, or prepare a sandbox and take a snapshot with a name.',
  ],
];

export function unsupportedRoutes(): Hono {
  const app = new Hono();
  for (const [paths, message, remedy] of UNSUPPORTED) {
    for (const path of paths) {
      app.all(path, () => {
        throw new Refusal(400, message, remedy);
      });
    }
  }
  return app;
}
