import type { Artifact, ArtifactContent, ArtifactStore } from './port.ts';
import { artifactContentType, artifactKey } from './key.ts';
import { partsOf } from './parts.ts';

/** R2 requires equal parts of at least 5 MiB, except for the last; this many bytes are buffered. */
const PART_BYTES = 8 * 1024 * 1024;

/** Artifacts in the cloud. R2 shows an object only once it is complete, so no partial write is visible. */
export class R2Artifacts implements ArtifactStore {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  async put(key: string, content: ArtifactContent, contentType: string): Promise<{ size: number }> {
    const options = { httpMetadata: { contentType: artifactContentType(contentType) } };
    const name = artifactKey(key);
    if (content instanceof Uint8Array) return this.#putWhole(name, content, options);
    const parts = partsOf(content, PART_BYTES);
    try {
      const first = (await parts.next()).value ?? new Uint8Array();
      // R2 rejects a plain put of a stream of unknown length; content that fits into one part is put whole.
      if (first.length < PART_BYTES) return await this.#putWhole(name, first, options);
      return await this.#putParts(name, first, parts, options);
    } finally {
      await parts.return(undefined);
    }
  }

  async get(key: string): Promise<Artifact | undefined> {
    const found = await this.#bucket.get(artifactKey(key));
    if (found === null) return undefined;
    const contentType = found.httpMetadata?.contentType ?? 'application/octet-stream';
    return { body: found.body, contentType, size: found.size };
  }

  async delete(prefix: string): Promise<void> {
    const name = artifactKey(prefix);
    await this.#bucket.delete(name);
    for (;;) {
      // List from the start each time: the cursor of a deleted page is useless.
      const page = await this.#bucket.list({ prefix: `${name}/` });
      if (page.objects.length === 0) return;
      await this.#bucket.delete(page.objects.map((object) => object.key));
    }
  }

  async #putWhole(name: string, bytes: Uint8Array, options: R2PutOptions) {
    await this.#bucket.put(name, bytes, options);
    return { size: bytes.length };
  }

  async #putParts(
    name: string,
    first: Uint8Array,
    rest: AsyncIterable<Uint8Array>,
    options: R2MultipartOptions,
  ): Promise<{ size: number }> {
    const upload = await this.#bucket.createMultipartUpload(name, options);
    try {
      const uploaded = [await upload.uploadPart(1, first)];
      let size = first.length;
      for await (const part of rest) {
        uploaded.push(await upload.uploadPart(uploaded.length + 1, part));
        size += part.length;
      }
      await upload.complete(uploaded);
      return { size };
    } catch (error) {
      // R2 bills the parts of an unfinished upload until it is aborted.
      await upload.abort().catch(() => undefined);
      throw error;
    }
  }
}
