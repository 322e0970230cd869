import type { LayerRecord, SandboxRecord } from '../store/records.ts';
import type { LifecycleContext } from './context.ts';
import { messageOf, Refusal } from './errors.ts';
import { newLayerId, newSnapshotId } from './ids.ts';
import { findLayer, normalizeName } from './sources.ts';

const NAME_PATTERN = /^[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?(?::[a-z0-9._-]{1,64})?$/;

/** Layers captured from sandboxes; a layer can be removed when nothing uses it. */
export class Layers {
  readonly #context: LifecycleContext;
  #collecting: Promise<void> = Promise.resolve();

  constructor(context: LifecycleContext) {
    this.#context = context;
  }

  listed(): LayerRecord[] {
    return this.#context.layers.all().filter((layer) => layer.listed && layer.ready);
  }

  /** Captures the files of a sandbox as a layer. Writes the record first, so that a crash leaves no unrecorded files. */
  async capture(
    source: SandboxRecord,
    kind: LayerRecord['kind'],
    name?: string,
  ): Promise<LayerRecord> {
    const normalized = name === undefined ? undefined : normalizeName(name);
    if (normalized !== undefined && !NAME_PATTERN.test(normalized)) {
      throw new Refusal(
        400,
        `${JSON.stringify(normalized.slice(0, 64))} is not a valid snapshot name.`,
        'Use lower-case letters, digits, dots and dashes.',
      );
    }
    const replaced =
      normalized === undefined ? undefined : findLayer(this.#context.layers, normalized);
    const layer: LayerRecord = {
      id: newLayerId(),
      kind,
      snapshotId: replaced?.snapshotId ?? newSnapshotId(),
      names: normalized === undefined ? [] : [normalized],
      sourceSandboxId: source.id,
      createdAtMs: this.#context.clock.nowMs(),
      limits: source.limits,
      env: source.env,
      listed: kind !== 'fork',
      ready: false,
    };
    await this.#context.layers.put(layer);
    try {
      await this.#context.backend.capture(source.id, layer.id);
    } catch (error) {
      await this.#context.backend.removeLayer(layer.id).catch(() => undefined);
      await this.#context.layers.delete(layer.id);
      throw new Refusal(
        503,
        `The files of the sandbox could not be captured: ${messageOf(error)}`,
        'Nothing was changed; try again.',
      );
    }
    const done = { ...layer, ready: true };
    await this.#context.layers.put(done);
    if (replaced !== undefined) {
      await this.#context.layers.put({ ...replaced, listed: false });
      await this.collect();
    }
    return done;
  }

  /** Deletes a snapshot; its files are deleted when the last sandbox that uses them is gone. */
  async remove(reference: string): Promise<boolean> {
    const layer = findLayer(this.#context.layers, reference);
    if (layer === undefined) return false;
    await this.#context.layers.put({ ...layer, listed: false });
    await this.collect();
    return true;
  }

  /** Removes unreachable layers; runs are serialized, each sees the result of the previous one. */
  collect(): Promise<void> {
    const before = this.#collecting;
    this.#collecting = (async () => {
      await before;
      for (let unused = this.#unused(); unused !== undefined; unused = this.#unused()) {
        try {
          await this.#context.backend.removeLayer(unused.id);
        } catch (error) {
          this.#context.events.server(
            'warn',
            `layer ${unused.id} could not be removed: ${messageOf(error)}`,
          );
          return;
        }
        await this.#context.layers.delete(unused.id);
      }
    })();
    return this.#collecting;
  }

  /** The back end keeps the files of a removed layer while other layers or running sandboxes use them. */
  #unused(): LayerRecord | undefined {
    const sandboxes = this.#context.records.all();
    return this.#context.layers
      .all()
      .find(
        (layer) =>
          layer.ready && !layer.listed && !sandboxes.some((record) => record.layer === layer.id),
      );
  }
}
