import {
  EnvironmentCheck,
  ApiToken,
  Calibration,
  Board,
  Card,
  Health,
  KeptSetupList,
  Repository,
  RepositoryList,
  RepositoryPlan,
  SecretInfo,
  SecretList,
  SessionPage,
  Settings,
  Stats,
  TokenCreated,
  TokenList,
  Usage,
} from '@ship/protocol';
import type {
  CardCreate,
  CardEdit,
  CardId,
  CardMove,
  RepositoryEdit,
  RepositoryId,
  SecretRef,
  SessionId,
  SettingsPatch,
  TokenId,
  UsageGrouping,
} from '@ship/protocol';
import { noContent, requestJson } from './request-json.ts';

type Signal = AbortSignal | undefined;

const query = (values: Readonly<Record<string, string | number | undefined>>): string => {
  const given = Object.entries(values).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
};

export const getHealth = (signal: Signal) => requestJson('/api/health', Health, { signal });

export interface SessionFilter {
  readonly q?: string;
  /** One or more columns, separated by commas. */
  readonly column?: string;
  readonly repository?: string;
  readonly limit: number;
}
export const listSessions = (
  filter: SessionFilter,
  cursor: SessionId | undefined,
  signal: Signal,
) => requestJson(`/api/sessions${query({ ...filter, cursor })}`, SessionPage, { signal });

export const readBoard = (signal: Signal) => requestJson('/api/board', Board, { signal });
export const moveCard = (body: CardMove) =>
  requestJson('/api/board', Card, { method: 'PATCH', body });
export const createCard = (body: CardCreate) =>
  requestJson('/api/board/cards', Card, { method: 'POST', body });
export const editCard = (cardId: CardId, body: CardEdit) =>
  requestJson(`/api/board/cards/${cardId}`, Card, { method: 'PATCH', body });
export const removeCard = (cardId: CardId) =>
  requestJson(`/api/board/cards/${cardId}`, noContent, { method: 'DELETE' });

export const listRepositories = (signal: Signal) =>
  requestJson('/api/repositories', RepositoryList, { signal });
export const createRepository = (body: { location: string } & RepositoryEdit) =>
  requestJson('/api/repositories', Repository, { method: 'POST', body });
export const editRepository = (repositoryId: RepositoryId, body: RepositoryEdit) =>
  requestJson(`/api/repositories/${repositoryId}`, Repository, { method: 'PATCH', body });
export const readRepositoryPlan = (location: string, signal: Signal) =>
  requestJson(`/api/repositories/plan${query({ location })}`, RepositoryPlan, { signal });
/** Each call starts a sandbox. */
export const startEnvironmentCheck = (repository: string) =>
  requestJson('/api/environment-checks', EnvironmentCheck, {
    method: 'POST',
    body: { repository },
  });
export const readEnvironmentCheck = (checkId: SessionId, signal: Signal) =>
  requestJson(`/api/environment-checks/${checkId}`, EnvironmentCheck, { signal });
export const listSetups = (signal: Signal) => requestJson('/api/setups', KeptSetupList, { signal });

export const removeSetup = (name: string) =>
  requestJson(`/api/setups/${encodeURIComponent(name)}`, noContent, { method: 'DELETE' });

export const removeRepository = (repositoryId: RepositoryId) =>
  requestJson(`/api/repositories/${repositoryId}`, noContent, { method: 'DELETE' });

export const readSettings = (signal: Signal) => requestJson('/api/settings', Settings, { signal });
export const patchSettings = (body: SettingsPatch) =>
  requestJson('/api/settings', Settings, { method: 'PATCH', body });

export const listSecrets = (signal: Signal) => requestJson('/api/secrets', SecretList, { signal });
export const writeSecret = ({ name, repositoryId }: SecretRef, value: string) =>
  requestJson(`/api/secrets/${encodeURIComponent(name)}`, SecretInfo, {
    method: 'PUT',
    body: { value, repositoryId },
  });
export const removeSecret = ({ name, repositoryId }: SecretRef) =>
  requestJson(
    `/api/secrets/${encodeURIComponent(name)}${query({ repositoryId: repositoryId ?? undefined })}`,
    noContent,
    { method: 'DELETE' },
  );

export const listTokens = (signal: Signal) => requestJson('/api/tokens', TokenList, { signal });
export const createToken = (name: string) =>
  requestJson('/api/tokens', TokenCreated, { method: 'POST', body: { name } });
export const revokeToken = (tokenId: TokenId) =>
  requestJson(`/api/tokens/${tokenId}`, ApiToken, { method: 'DELETE' });

export const readStats = (signal: Signal) => requestJson('/api/stats', Stats, { signal });
export const readCalibration = (signal: Signal) =>
  requestJson('/api/calibration', Calibration, { signal });
export const readUsage = (from: string, by: UsageGrouping, signal: Signal) =>
  requestJson(`/api/usage${query({ from, by })}`, Usage, { signal });
