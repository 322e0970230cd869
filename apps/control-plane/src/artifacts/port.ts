/**
 * Where large things go: tool outputs over 100 KB, exported conversations, screenshots. They are linked from the log by
 * key. An artifact is there as a whole or not at all: one that was half written when the process died is never served.
 */
export type ArtifactContent = Uint8Array | ReadableStream<Uint8Array>;

export interface Artifact {
  /** Must be read or cancelled. */
  body: ReadableStream<Uint8Array>;
  contentType: string;
  /** In bytes. */
  size: number;
}

export interface ArtifactStore {
  /** Replaces what was there. A stream of any length is stored with flat memory; when it fails, nothing changes. */
  put(key: string, content: ArtifactContent, contentType: string): Promise<{ size: number }>;
  get(key: string): Promise<Artifact | undefined>;
  /** Deletes the artifact of this key and all whose keys begin with it and a slash. Nothing there is no error. */
  delete(prefix: string): Promise<void>;
}
