import { Settings, SettingsPatch, fail } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const settingsRoutes = ({ workspace }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/settings',
    summary: 'The settings, with an ETag',
    response: Settings,
    async handle({ headers }) {
      const { etag, settings } = unwrap(await workspace().readSettings());
      headers().set('etag', etag);
      return settings;
    },
  }),
  endpoint({
    method: 'patch',
    path: '/settings',
    summary: 'Changes some settings; with If-Match only when they are unchanged since',
    body: SettingsPatch,
    response: Settings,
    async handle({ body, request, headers }) {
      const ifMatch = request.headers.get('if-match') ?? undefined;
      const { etag, settings } = unwrap(await workspace().patchSettings(body, ifMatch));
      headers().set('etag', etag);
      return settings;
    },
  }),
  endpoint({
    method: 'put',
    path: '/settings',
    summary: 'Replaces all settings; needs If-Match',
    body: Settings,
    response: Settings,
    async handle({ body, request, headers }) {
      const ifMatch =
        request.headers.get('if-match') ??
        fail(
          'precondition-required',
          'Replacing all settings could overwrite a concurrent change.',
          'Send the ETag that you read as If-Match, or change single fields with PATCH.',
        );
      const { etag, settings } = unwrap(await workspace().replaceSettings(body, ifMatch));
      headers().set('etag', etag);
      return settings;
    },
  }),
];
