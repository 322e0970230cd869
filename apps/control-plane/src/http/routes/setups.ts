import { KeptSetupList, KeptSetupView, SetupName, fail } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import { calling } from '../../sandbox/failure.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const setupRoutes = ({ workspace, sandboxes }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/setups',
    summary: 'The kept setups, and the inputs of each',
    response: KeptSetupList,
    handle: async () => unwrap(await workspace().listSetups()),
  }),
  endpoint({
    method: 'delete',
    path: '/setups/{name}',
    summary: 'Deletes a kept setup; the next session of its repository runs the setup in full',
    params: z.object({ name: SetupName }),
    response: KeptSetupView,
    async handle({ params: { name } }) {
      const { setups } = unwrap(await workspace().listSetups());
      const found =
        setups.find((setup) => setup.name === name) ??
        fail('not-found', 'There is no such kept setup.', 'List the kept setups and choose one.');
      // The record first: then no session uses it, even when the sandbox service fails to delete it.
      unwrap(await workspace().changeSetups({ kind: 'drop', name }));
      await calling('sandbox', () => sandboxes(found.provider).forget(name));
      return found;
    },
  }),
];
