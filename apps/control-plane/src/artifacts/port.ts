/**
 * The store for large values such as tool outputs, conversations and attachments; the event log links them by key.
 * An artifact exists as a whole or not at all: one that was half written when the process died is never served.
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
  /** Replaces an existing artifact. Streams are stored with constant memory; a failed put changes nothing. */
  put(key: string, content: ArtifactContent, contentType: string): Promise<{ size: number }>;
  get(key: string): Promise<Artifact | undefined>;
  /** Deletes the artifact of this key and all keys below it. Idempotent. */
  delete(prefix: string): Promise<void>;
}
