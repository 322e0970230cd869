import { PortList, PortTicket } from '@ship/protocol';
import type { SessionId } from '@ship/protocol';
import { requestJson } from './request-json.ts';

const path = (sessionId: SessionId, rest = '') => `/api/sessions/${sessionId}/ports${rest}`;

export const readPorts = (sessionId: SessionId, signal: AbortSignal | undefined) =>
  requestJson(path(sessionId), PortList, { signal });

export const createPortTicket = (sessionId: SessionId, port: number, start: string) =>
  requestJson(path(sessionId, `/${port}/ticket`), PortTicket, {
    method: 'POST',
    body: { path: start },
  });
