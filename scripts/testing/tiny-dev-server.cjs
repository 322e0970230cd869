/** A dev server as small as they get: pages, an echo, a stream, and a socket that tells the page to reload. Runs inside a sandbox. */
const http = require('node:http');
const crypto = require('node:crypto');
const fs = require('node:fs');
const zlib = require('node:zlib');

const [port, file] = process.argv.slice(2);
const sockets = new Set();
const waiting = new Set();

const PAGE = (
  text,
) => `<!doctype html><title>tiny</title><h1 id="text">${text}</h1><p id="echo"></p>
<script>
const socket = new WebSocket(location.origin.replace('http', 'ws') + '/hmr', 'tiny-hmr');
socket.onopen = () => socket.send('ping');
socket.onmessage = ({ data }) => {
  if (data === 'reload') location.reload();
  else document.querySelector('#echo').textContent = data + ' over ' + socket.protocol;
};
</script>`;

const routes = {
  '/': (_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('x-frame-options', 'DENY');
    response.end(PAGE(fs.readFileSync(file, 'utf8')));
  },
  '/echo': async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    const { method, url, headers } = request;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, headers, bytes }));
  },
  /** Says "one" at once, and "two" when somebody asks for /go. */
  '/stream': (_, response) => {
    response.write('one\n');
    waiting.add(response);
  },
  '/go': (_, response) => {
    for (const one of waiting) one.end('two\n');
    waiting.clear();
    response.end('gone');
  },
  '/cookie': (_, response) => {
    response.setHeader('set-cookie', ['app=1; Domain=ship.localhost', 'ship_port_4400=forged']);
    response.end('set');
  },
  '/redirect': (_, response) => {
    response.writeHead(302, { location: `http://localhost:${port}/echo` });
    response.end();
  },
  '/gzip': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    response.end(zlib.gzipSync('packed'));
  },
};

const server = http.createServer((request, response) => {
  const route = routes[request.url.split('?')[0]];
  if (route !== undefined) return route(request, response);
  response.writeHead(404);
  response.end('no such page');
});

const frame = (text) => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);

server.on('upgrade', (request, socket) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = crypto.createHash('sha1').update(key).digest('base64');
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Protocol: tiny-hmr\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => sockets.delete(socket));
  socket.on('data', (data) => {
    if ((data[0] & 15) !== 1) return socket.end();
    const mask = data.subarray(2, 6);
    const text = data.subarray(6, 6 + (data[1] & 127)).map((byte, at) => byte ^ mask[at % 4]);
    socket.write(frame(`echo:${Buffer.from(text).toString()}`));
  });
});

fs.watchFile(file, { interval: 100 }, () => {
  for (const socket of sockets) socket.write(frame('reload'));
});
server.listen(Number(port), '127.0.0.1');
