import {
  PortList,
  PortNumber,
  PortTicket,
  PortTicketRequest,
  SessionId,
  fail,
} from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { credentialsOf } from '../auth/caller.ts';
import { requestOriginOf } from '../request-origin.ts';
import { endpoint } from '../endpoint.ts';
import { ENTER_PATH } from '../ports/ingress.ts';
import { framingOrigin, portOrigin } from '../ports/host-name.ts';

const path = '/sessions/{sessionId}/ports';

export const portRoutes = ({ session, hosts }: ApiDeps) => [
  endpoint({
    method: 'get',
    path,
    summary: 'The ports on which programs in the sandbox listen; empty while it does not run',
    params: z.object({ sessionId: SessionId }),
    response: PortList,
    handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).listPorts()),
  }),
  endpoint({
    method: 'post',
    path: `${path}/{port}/ticket`,
    summary:
      'Creates a URL that gives one browser access to a port of the sandbox; valid once, for a minute',
    params: z.object({ sessionId: SessionId, port: PortNumber }),
    body: PortTicketRequest,
    response: PortTicket,
    status: 201,
    async handle({ params: { sessionId, port }, body, request, caller }) {
      const page = requestOriginOf(request.url);
      const origin = portOrigin(page, { sessionId, port }, hosts);
      const framedBy = framingOrigin(page, hosts);
      if (origin === undefined || framedBy === undefined)
        return fail(
          'not-configured',
          'This server has no domain for sandbox ports.',
          'Give it a host name such as ship.example.com with wildcard DNS below it, or set PREVIEW_HOST.',
        );
      const { ticket, expiresAt } = unwrap(
        await session(sessionId).portTicket(port, credentialsOf(caller)),
      );
      const query = new URLSearchParams({ ticket, to: body.path });
      return { url: `${origin}${ENTER_PATH}?${query.toString()}`, expiresAt, framedBy };
    },
  }),
];
