import type { IncomingHttpHeaders } from 'node:http';

import type { EgressSession } from '../egress/session.ts';
import type { Fetcher, Served } from './cache/fetcher.ts';
import type { DiskCache } from './cache/disk-cache.ts';
import type { RegistrySettings } from './settings/index.ts';
import type { UpstreamClient } from './upstream/client.ts';

export type Reply =
  | { kind: 'stored'; served: Served }
  | { kind: 'text'; text: string; contentType: string; isStale?: boolean };

/** One parsed request of a sandbox. */
export interface GatewayRequest {
  session: EgressSession;
  /** The path after the kind of registry. */
  segments: readonly string[];
  headers: IncomingHttpHeaders;
  settings: RegistrySettings;
}

export interface ProtocolDeps {
  fetcher: Fetcher;
  cache: DiskCache;
  client: UpstreamClient;
  /** Address of the gateway inside a sandbox, without a trailing slash. */
  insideUrl: string;
}

export const json = (value: unknown, contentType = 'application/json'): Reply => ({
  kind: 'text',
  text: JSON.stringify(value),
  contentType,
});
