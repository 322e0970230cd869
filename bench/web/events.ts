/** Synthetic logs and streams like those of an agent. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type SessionId, createId } from '@ship/protocol';

interface EventInput {
  type: string;
  version: number;
  data: unknown;
}

const STEPS_PER_TURN = 12;
const PARAGRAPH =
  'The list is drawn in one place, `shop.js`, so the **filter** belongs in front of it; see [the docs](https://example.com).\n\n';
const CODE =
  '```ts\nexport function search(products: Product[], typed: string) {\n  return products.filter(({ name }) => name.includes(typed));\n}\n```\n\n- one\n- two\n\n';
const TOKENS = `${PARAGRAPH}${PARAGRAPH}${CODE}`.match(/\s?\S{1,5}\s*/g) ?? [];

export const token = (index: number): string => TOKENS[index % TOKENS.length] ?? ' ';

export const textOf = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => token(from + index)).join('');

export const finishedText = (turnId: string, partId: string, text: string): EventInput => ({
  type: 'text.finished',
  version: 1,
  data: { turnId, subagentId: null, partId, kind: 'text', text, isPartial: false, link: null },
});

/** A prompt and the turn that it starts; nothing streams for a `turnId` that is not in the log. */
export function beginning(turnId: string): EventInput[] {
  const promptId = createId('prm');
  return [
    {
      type: 'prompt.queued',
      version: 1,
      data: { promptId, text: 'Add a search box that filters while I type', author: 'bench' },
    },
    {
      type: 'turn.started',
      version: 1,
      data: { turnId, promptId, attempt: 1, continues: false },
    },
  ];
}

function turn(): EventInput[] {
  const turnId = createId('turn');
  const steps = Array.from({ length: STEPS_PER_TURN }, (_, step) => {
    const inTurn = { turnId, subagentId: null, tool: 'bash', title: 'npm test' };
    const partId = `tool-${step}`;
    const output = textOf(0, 120);
    return [
      finishedText(turnId, `text-${step}`, textOf(0, 60)),
      { type: 'tool.started', version: 1, data: { ...inTurn, partId, input: '{}' } },
      {
        type: 'tool.finished',
        version: 1,
        data: {
          ...inTurn,
          partId,
          status: 'completed',
          output,
          outputBytes: output.length,
          link: null,
          exitCode: 0,
          durationMs: 40,
          edits: [],
          diff: '',
          callHash: 'a',
          resultHash: 'b',
        },
      },
    ];
  });
  const end = {
    type: 'turn.finished',
    version: 2,
    data: { turnId, outcome: { kind: 'completed' } },
  };
  return [...beginning(turnId), ...steps.flat(), end];
}

/** Writes to the object's SQLite file while it is closed: thousands of requests would take minutes. */
export function lengthen(folder: string, sessionId: SessionId, count: number): void {
  for (const file of globSync('**/*.sqlite', { cwd: folder })) {
    const database = new DatabaseSync(join(folder, file));
    try {
      const isLog = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'events'").get();
      if (isLog === undefined) continue;
      const ours = 'SELECT 1 FROM events WHERE seq = 1 AND data LIKE ?';
      if (database.prepare(ours).get(`%${sessionId}%`) === undefined) continue;
      const newest = database.prepare('SELECT MAX(seq) AS seq FROM events').get();
      let seq = Number(newest?.['seq']);
      const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
      database.exec('BEGIN');
      while (seq < count)
        for (const { type, version, data } of turn())
          insert.run((seq += 1), Date.now(), type, version, JSON.stringify(data));
      database.exec('COMMIT');
      return;
    } finally {
      database.close();
    }
  }
  throw new Error('the log of the session was not found');
}
