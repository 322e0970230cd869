import { ModelList, ProviderInfo, ProviderList, Spending } from '@ship/protocol';
import type { ProviderId, ProviderWrite } from '@ship/protocol';
import { noContent, requestJson } from './request-json.ts';

type Signal = AbortSignal | undefined;

export const listModels = (signal: Signal) => requestJson('/api/models', ModelList, { signal });

export const listProviders = (signal: Signal) =>
  requestJson('/api/providers', ProviderList, { signal });
export const writeProvider = (providerId: ProviderId, body: ProviderWrite) =>
  requestJson(`/api/providers/${encodeURIComponent(providerId)}`, ProviderInfo, {
    method: 'PUT',
    body,
  });
export const removeProvider = (providerId: ProviderId) =>
  requestJson(`/api/providers/${encodeURIComponent(providerId)}`, noContent, { method: 'DELETE' });

export const readSpending = (signal: Signal) => requestJson('/api/spending', Spending, { signal });
