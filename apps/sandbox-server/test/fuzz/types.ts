export interface HttpCase {
  kind: 'http';
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export interface RawCase {
  kind: 'raw';
  /** To the server's port, or to the way out of a sandbox. */
  door: 'front' | 'egress';
  /** Sent with pauses in between; then the connection is closed. */
  parts: string[];
}

export type FuzzCase = HttpCase | RawCase;

/** What a case may name; the live ones make it reach past the first check. */
export interface Live {
  apiKey: string;
  sandboxId: string;
  accessToken: string;
}
