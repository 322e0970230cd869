/** Writes numbered records until it is killed; prints each number once it is on disk. `node write-forever.ts FOLDER` */
import { z } from 'zod';

import { RecordStore } from '../../src/store/record-store.ts';

const store = new RecordStore(
  process.argv[2] ?? '',
  z.object({ id: z.string(), n: z.number(), pad: z.string() }),
);
await store.load();
for (let n = 0; ; n += 1) {
  await store.put({ id: `r${n % 7}`, n, pad: 'x'.repeat(n % 5_000) });
  process.stdout.write(`${n}\n`);
}
