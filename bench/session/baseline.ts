/**
 * The same work on plain Node: HTTP, ws and node:sqlite, one transaction with one fsync per append, the receipt in the
 * same transaction, then a broadcast to all watchers. `node baseline.ts FILE` prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { WebSocketServer } from 'ws';

const database = new DatabaseSync(process.argv[2] ?? ':memory:');
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER, type TEXT, version INTEGER, data TEXT) STRICT;
  CREATE TABLE requests (request_id TEXT PRIMARY KEY, body TEXT, seq INTEGER) STRICT;`);
const find = database.prepare('SELECT seq FROM requests WHERE request_id = ?');
const insertEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
const insertRequest = database.prepare('INSERT INTO requests VALUES (?, ?, ?)');
let seq = 0;

function append(body: string): number {
  const { requestId, text } = JSON.parse(body) as { requestId: string; text: string };
  const known = find.get(requestId) as { seq: number } | undefined;
  if (known !== undefined) return known.seq;
  database.exec('BEGIN');
  seq += 1;
  const at = Date.now();
  const data = JSON.stringify({ text });
  insertEvent.run(seq, at, 'prompt.edited', 1, data);
  insertRequest.run(requestId, body, seq);
  database.exec('COMMIT');
  const event = `{"seq":${seq},"at":${at},"type":"prompt.edited","version":1,"data":${data}}`;
  const page = `{"type":"page","events":[${event}],"upTo":${seq},"newestSeq":${seq}}`;
  for (const client of sockets.clients) client.send(page);
  return seq;
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    const text = JSON.stringify({ seq: append(body) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
});
const sockets = new WebSocketServer({ server });
sockets.on('connection', (socket) => socket.send('{"type":"hello"}'));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
