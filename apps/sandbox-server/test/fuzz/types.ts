export interface HttpCase {
  kind: 'http';
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export interface RawCase {
  kind: 'raw';
  /** The server's port, or the egress socket of a sandbox. */
  target: 'front' | 'egress';
  /** Sent with pauses in between; then the connection is closed. */
  parts: string[];
}

export type FuzzCase = HttpCase | RawCase;

/** Valid values for cases; with them a case gets past the first check. */
export interface Live {
  apiKey: string;
  sandboxId: string;
  accessToken: string;
}
