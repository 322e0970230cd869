import { fail } from '@ship/protocol';
import * as z from 'zod';
import { artifactContentType, artifactKey } from './key.ts';
import type { Artifact, ArtifactContent, ArtifactStore } from './port.ts';
import { counted } from './counted.ts';

/** workerd's disk service: PUT writes a temporary file and renames it, DELETE removes a folder recursively. */
export interface DiskService {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

const Meta = z.object({
  data: z.string().regex(/^data-[0-9a-f]{32}$/),
  contentType: z.string(),
  size: z.int().nonnegative(),
});
type Meta = z.infer<typeof Meta>;

const READ_ATTEMPTS = 3;

/**
 * Artifacts on one machine. An artifact is a folder `KEY=` with its bytes under a random name and a `meta` file that names
 * them. The disk service cannot tell a stream that broke off from one that ended: so `meta` is written last, and a file
 * that it does not name does not exist. No key has a "=", so an artifact never collides with a longer key.
 */
export class DiskArtifacts implements ArtifactStore {
  readonly #disk: DiskService;

  constructor(disk: DiskService) {
    this.#disk = disk;
  }

  async put(key: string, content: ArtifactContent, contentType: string): Promise<{ size: number }> {
    const folder = folderOf(key);
    const type = artifactContentType(contentType);
    const before = await this.#meta(folder);
    const data = `data-${randomHex()}`;
    const size = await this.#writeData(`${folder}/${data}`, content);
    const meta: Meta = { data, contentType: type, size };
    await this.#write(`${folder}/meta`, new TextEncoder().encode(JSON.stringify(meta)));
    // Remove only the bytes that this put replaced: a concurrent put may still be writing its own.
    if (before !== undefined) await this.#remove(`${folder}/${before.data}`);
    return { size };
  }

  async get(key: string): Promise<Artifact | undefined> {
    const folder = folderOf(key);
    // A concurrent put may replace both between reading `meta` and opening the bytes.
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const meta = await this.#meta(folder);
      if (meta === undefined) return undefined;
      const found = await this.#disk.fetch(urlOf(`${folder}/${meta.data}`));
      const isWhole = found.ok && Number(found.headers.get('content-length')) === meta.size;
      if (isWhole && found.body !== null) {
        return { body: found.body, contentType: meta.contentType, size: meta.size };
      }
      await found.body?.cancel();
    }
    return undefined;
  }

  async delete(prefix: string): Promise<void> {
    const folder = folderOf(prefix);
    // `meta` first: a crash half-way must leave bytes without a name, not a name without bytes.
    await this.#remove(`${folder}/meta`);
    await this.#remove(folder);
    await this.#remove(artifactKey(prefix));
  }

  async #writeData(path: string, content: ArtifactContent): Promise<number> {
    if (content instanceof Uint8Array) {
      await this.#write(path, content);
      return content.length;
    }
    const stream = counted(content);
    try {
      await this.#write(path, stream.body);
      // The disk service reports success even when the stream broke off; `size` throws then.
      return stream.size();
    } catch (error) {
      await this.#remove(path);
      throw error;
    }
  }

  async #meta(folder: string): Promise<Meta | undefined> {
    const found = await this.#disk.fetch(urlOf(`${folder}/meta`));
    if (!found.ok) {
      await found.body?.cancel();
      return undefined;
    }
    try {
      // Not `json()`: workerd warns because the disk service labels everything as an octet stream.
      return Meta.parse(JSON.parse(new TextDecoder().decode(await found.arrayBuffer())));
    } catch {
      return undefined;
    }
  }

  async #write(path: string, body: Uint8Array | ReadableStream): Promise<void> {
    let status = 0;
    try {
      const response = await this.#disk.fetch(urlOf(path), { method: 'PUT', body });
      await response.body?.cancel();
      status = response.status;
    } catch {
      // The disk service only says "internal error"; the reason is in the control plane's log.
    }
    if (status >= 200 && status < 300) return;
    fail(
      'unavailable',
      'The artifact could not be stored.',
      'Check that the disk of the data folder has space, and try again.',
    );
  }

  /** A missing file is not an error. */
  async #remove(path: string): Promise<void> {
    const response = await this.#disk.fetch(urlOf(path), { method: 'DELETE' });
    await response.body?.cancel();
  }
}

function folderOf(key: string): string {
  return `${artifactKey(key)}=`;
}

function urlOf(path: string): string {
  return `http://artifacts/${path}`;
}

function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
