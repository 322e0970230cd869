import { limits } from '../limits.ts';
import type { Database } from './database.ts';
import type { DeliveryRow } from './rows.ts';

/** The outbox of webhooks: after a crash, deliveries of committed changes are still sent. */
export class Deliveries {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add(guid: string, target: string, event: string, payload: string): void {
    const sql = 'INSERT INTO deliveries (guid, target, event, payload) VALUES (?, ?, ?, ?)';
    this.#db.run(sql, guid, target, event, payload);
  }

  next(target: string): DeliveryRow | undefined {
    const sql =
      "SELECT * FROM deliveries WHERE target = ? AND state = 'waiting' ORDER BY id LIMIT 1";
    return this.#db.get<DeliveryRow>(sql, target);
  }

  recordAttempt(id: number, attempts: number, state: 'waiting' | 'delivered' | 'failed'): void {
    this.#db.transaction(() => {
      this.#db.run(
        'UPDATE deliveries SET attempts = ?, state = ? WHERE id = ?',
        attempts,
        state,
        id,
      );
      const old = "DELETE FROM deliveries WHERE state <> 'waiting' AND id <= ?";
      this.#db.run(old, id - limits.keptDeliveries);
    });
  }
}
