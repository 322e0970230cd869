import type { Clock } from '../lifecycle/clock.ts';
import type { RecordStore } from '../store/record-store.ts';
import { Ledger, type LedgerFile } from './ledger.ts';

const SAVE_DELAY_MS = 1_000;

interface Page {
  ledger: Ledger;
  cancelSave: (() => void) | undefined;
}

/** All ledgers, on disk: a new host at once, byte counts within a second. */
export class LedgerBook {
  readonly #store: RecordStore<LedgerFile>;
  readonly #clock: Clock;
  readonly #onFailure: (message: string) => void;
  readonly #pages = new Map<string, Page>();

  constructor(store: RecordStore<LedgerFile>, clock: Clock, onFailure: (message: string) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  open(id: string): Ledger {
    const known = this.#pages.get(id);
    if (known !== undefined) return known.ledger;
    const page: Page = {
      cancelSave: undefined,
      ledger: new Ledger(
        id,
        (urgent) => {
          if (urgent) this.#save(id);
          else page.cancelSave ??= this.#clock.after(SAVE_DELAY_MS, () => this.#save(id));
        },
        this.#store.get(id),
      ),
    };
    this.#pages.set(id, page);
    return page.ledger;
  }

  #save(id: string): void {
    const page = this.#pages.get(id);
    if (page === undefined) return;
    page.cancelSave?.();
    page.cancelSave = undefined;
    this.#store.put(page.ledger.toFile()).catch((error: unknown) => {
      this.#onFailure(`the ledger of ${id} could not be saved: ${String(error)}`);
    });
  }

  read(id: string): LedgerFile {
    const open = this.#pages.get(id)?.ledger.toFile() ?? this.#store.get(id);
    return open ?? { id, entries: [], unnamed: { allow: 0, deny: 0 } };
  }

  async remove(id: string): Promise<void> {
    this.#pages.get(id)?.cancelSave?.();
    this.#pages.delete(id);
    await this.#store.delete(id);
  }

  async flush(): Promise<void> {
    await Promise.all(
      [...this.#pages].map(async ([, page]) => {
        page.cancelSave?.();
        page.cancelSave = undefined;
        await this.#store.put(page.ledger.toFile());
      }),
    );
  }
}
