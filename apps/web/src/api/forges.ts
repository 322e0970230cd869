import { ForgeCheck, ForgeList, ForgeTokenStored } from '@ship/protocol';
import { noContent, requestJson } from './request-json.ts';

type Signal = AbortSignal | undefined;

/** The server calls the forge during these requests. */
const timeoutMs = 30_000;

export const listForges = (signal: Signal) => requestJson('/api/forges', ForgeList, { signal });
export const writeForgeToken = (token: string) =>
  requestJson('/api/forges/github/token', ForgeTokenStored, {
    method: 'PUT',
    body: { token },
    timeoutMs,
  });
export const removeForgeToken = () =>
  requestJson('/api/forges/github/token', noContent, { method: 'DELETE' });
export const checkForge = () =>
  requestJson('/api/forges/github/check', ForgeCheck, { method: 'POST', timeoutMs });
