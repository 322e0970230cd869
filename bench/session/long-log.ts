/** How soon a user who opens a session with a very long log has its first screen. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WebSocket } from 'ws';
import { LOCAL_TOKEN, openControlPlane } from '../../apps/control-plane/test/harness.ts';
import { type Spread, spread } from '../statistics.ts';

const FIRST_SCREEN = 100;

export async function openLongLog(events: number, times: number): Promise<Spread> {
  const { plane, api, close } = await openControlPlane();
  try {
    const { sessionId } = await api.create();
    const { promptId } = await api.prompt(sessionId, 'edited over and over');
    await plane.kill();
    lengthen(plane.objectsFolder, sessionId, promptId, events);
    await plane.start();
    // Folds all events once and leaves a snapshot, as if the events had come one by one.
    await api.ask('PATCH', `/sessions/${sessionId}`, { requestId: 'bench-rename', title: 'long' });
    const tookMs: number[] = [];
    for (let i = 0; i < times; i++) {
      await plane.restart();
      await api.ask('GET', '/settings');
      const startMs = performance.now();
      await firstScreen(plane.url, sessionId);
      tookMs.push(performance.now() - startMs);
    }
    return spread(tookMs);
  } finally {
    await close();
  }
}

/** The newest page, and a socket that is live from there: what the web app does when it opens a session. */
async function firstScreen(url: string, sessionId: string): Promise<void> {
  const headers = { authorization: `Bearer ${LOCAL_TOKEN}` };
  const response = await fetch(`${url}/api/sessions/${sessionId}/history?limit=${FIRST_SCREEN}`, {
    headers,
  });
  const { events, newestSeq } = (await response.json()) as { events: unknown[]; newestSeq: number };
  if (events.length !== FIRST_SCREEN) throw new Error('the first screen is not full');
  await new Promise<void>((resolve, reject) => {
    const address = `${url.replace('http', 'ws')}/api/sessions/${sessionId}/socket?after=${newestSeq}`;
    const socket = new WebSocket(address, { headers });
    socket.on('error', reject);
    socket.on('message', (data: Buffer) => {
      if (!data.toString().startsWith('{"type":"page"')) return;
      socket.close();
      resolve();
    });
  });
}

/** Writes to the object's SQLite file while it is closed: a hundred thousand requests would take minutes. */
function lengthen(folder: string, sessionId: string, promptId: string, count: number): void {
  for (const file of globSync('**/*.sqlite', { cwd: folder })) {
    const database = new DatabaseSync(join(folder, file));
    try {
      const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'events'").get();
      const isOurs =
        table !== undefined &&
        database
          .prepare('SELECT 1 FROM events WHERE seq = 1 AND data LIKE ?')
          .get(`%${sessionId}%`);
      if (isOurs === undefined || isOurs === false) continue;
      const { last } = database.prepare('SELECT MAX(seq) AS last FROM events').get() as {
        last: number;
      };
      const insert = database.prepare("INSERT INTO events VALUES (?, ?, 'prompt.edited', 1, ?)");
      database.exec('BEGIN');
      for (let i = 1; i <= count; i++)
        insert.run(last + i, Date.now(), JSON.stringify({ promptId, text: `text ${i} of many` }));
      database.exec('COMMIT');
      return;
    } finally {
      database.close();
    }
  }
  throw new Error('the log of the session was not found');
}
