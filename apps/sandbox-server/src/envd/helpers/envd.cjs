// Starts the supervisor's bundle in a sandbox, with the code cache of templates/code-cache.ts. Without the cache,
// compiling would cost every cold start seven milliseconds. V8 ignores a cache that does not fit this Node.
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

const filename = join(__dirname, 'supervisor.js');
const wrapped = `(function (exports, require, module) {${readFileSync(filename, 'utf8')}\n})`;
const script = new Script(wrapped, {
  filename,
  cachedData: readIfThere(join(__dirname, 'supervisor.cache')),
});

// Set only while the runtime is built: when stdin ends, all functions compiled so far are cached.
const keepIn = process.argv[3];
if (keepIn !== undefined) {
  process.stdin.resume().once('end', () => {
    writeFileSync(keepIn, script.createCachedData());
    process.exit(0);
  });
}

script.runInThisContext()(exports, require, module);
