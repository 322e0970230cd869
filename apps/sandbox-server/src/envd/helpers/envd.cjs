// What Node runs inside a sandbox: the supervisor's bundle, with the compiled code that templates/code-cache.ts kept of it.
// Compiling it anew would cost every cold start seven milliseconds. Code that does not fit this Node is ignored by V8.
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

// Given only while the runtime is built: when the input ends, all functions that were used so far are kept compiled.
const keepIn = process.argv[3];
if (keepIn !== undefined) {
  process.stdin.resume().once('end', () => {
    writeFileSync(keepIn, script.createCachedData());
    process.exit(0);
  });
}

script.runInThisContext()(exports, require, module);
