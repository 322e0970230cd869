import type { Clock } from '../lifecycle/clock.ts';
import type { RecordStore } from '../store/record-store.ts';
import { Ledger, type LedgerFile } from './ledger.ts';

const SAVE_DELAY_MS = 1_000;

interface OpenLedger {
  ledger: Ledger;
  cancelSave: (() => void) | undefined;
}

/** All ledgers, persisted: a new host immediately, byte counts within a second. */
export class LedgerStore {
  readonly #store: RecordStore<LedgerFile>;
  readonly #clock: Clock;
  readonly #onFailure: (message: string) => void;
  readonly #open = new Map<string, OpenLedger>();

  constructor(store: RecordStore<LedgerFile>, clock: Clock, onFailure: (message: string) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  open(id: string): Ledger {
    const known = this.#open.get(id);
    if (known !== undefined) return known.ledger;
    const open: OpenLedger = {
      cancelSave: undefined,
      ledger: new Ledger(
        id,
        (urgent) => {
          if (urgent) this.#save(id);
          else open.cancelSave ??= this.#clock.after(SAVE_DELAY_MS, () => this.#save(id));
        },
        this.#store.get(id),
      ),
    };
    this.#open.set(id, open);
    return open.ledger;
  }

  #save(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    open.cancelSave?.();
    open.cancelSave = undefined;
    this.#store.put(open.ledger.toFile()).catch((error: unknown) => {
      this.#onFailure(`the ledger of ${id} could not be saved: ${String(error)}`);
    });
  }

  read(id: string): LedgerFile {
    const open = this.#open.get(id)?.ledger.toFile() ?? this.#store.get(id);
    return open ?? { id, entries: [], unnamed: { allow: 0, deny: 0 } };
  }

  async remove(id: string): Promise<void> {
    this.#open.get(id)?.cancelSave?.();
    this.#open.delete(id);
    await this.#store.delete(id);
  }

  async flush(): Promise<void> {
    await Promise.all(
      [...this.#open].map(async ([, open]) => {
        open.cancelSave?.();
        open.cancelSave = undefined;
        await this.#store.put(open.ledger.toFile());
      }),
    );
  }
}
