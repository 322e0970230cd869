import { Settings, SettingsPatch, fail } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiParts } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const settingsRoutes = ({ workspace }: ApiParts) => [
  endpoint({
    method: 'get',
    path: '/settings',
    summary: 'The settings, with an ETag',
    answer: Settings,
    async handle({ headers }) {
      const { etag, settings } = unwrap(await workspace().readSettings());
      headers().set('etag', etag);
      return settings;
    },
  }),
  endpoint({
    method: 'patch',
    path: '/settings',
    summary: 'Changes some settings; with If-Match only when nobody else did meanwhile',
    body: SettingsPatch,
    answer: Settings,
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
    answer: Settings,
    async handle({ body, request, headers }) {
      const ifMatch =
        request.headers.get('if-match') ??
        fail(
          'precondition-required',
          'Replacing all settings could undo what somebody else just changed.',
          'Send the ETag that you read as If-Match, or change single fields with PATCH.',
        );
      const { etag, settings } = unwrap(await workspace().replaceSettings(body, ifMatch));
      headers().set('etag', etag);
      return settings;
    },
  }),
];
