import type { IncomingHttpHeaders } from 'node:http';

import type { EgressSession } from '../egress/session.ts';
import type { Fetcher, Served } from './cache/fetcher.ts';
import type { DiskCache } from './cache/disk-cache.ts';
import type { RegistrySettings } from './settings/index.ts';
import type { UpstreamClient } from './upstream/client.ts';

export type Reply =
  | { kind: 'stored'; served: Served }
  | { kind: 'text'; text: string; contentType: string; isStale?: boolean };

/** One request of a sandbox, parsed. */
export interface Asked {
  session: EgressSession;
  /** Behind the name of the registry's kind. */
  segments: readonly string[];
  headers: IncomingHttpHeaders;
  settings: RegistrySettings;
}

export interface ProtocolTools {
  fetcher: Fetcher;
  cache: DiskCache;
  client: UpstreamClient;
  /** The gateway as a sandbox sees it, without a slash at its end. */
  insideUrl: string;
}

export const json = (value: unknown, contentType = 'application/json'): Reply => ({
  kind: 'text',
  text: JSON.stringify(value),
  contentType,
});
