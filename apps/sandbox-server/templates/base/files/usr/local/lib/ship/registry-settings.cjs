/** The registry gateway's address and the names for lock files, for managers that have no setting for it. */
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const SETTINGS = '/run/registries/npmrc';
const NPM = 'https://registry.npmjs.org/';
const PUBLIC_HOSTS = /^https?:\/\/registry\.(?:yarnpkg\.com|npmjs\.org)\//;

/** Undefined when this sandbox has no gateway. */
function gatewaySettings() {
  const text = readText(SETTINGS);
  const registry = /^registry=(\S+)$/m.exec(text ?? '')?.[1];
  if (registry === undefined) return undefined;
  const sources = new Map(
    [...text.matchAll(/^; from (\S+)(?: for (\S+))?$/gm)].map(([, url, scope = '']) => [
      scope,
      url,
    ]),
  );
  const isEveryHost = /^replace-registry-host=always$/m.test(text);
  return { registry, sources, isEveryHost };
}

/** The original address of a package's registry. */
function sourceOf({ sources }, name) {
  const scope = name.startsWith('@') ? name.split('/')[0].toLowerCase() : '';
  return sources.get(scope) ?? sources.get('') ?? NPM;
}

function* foldersUp(from) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    yield folder;
    if (folder === path.dirname(folder)) return;
  }
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether the project or the user inside configures another registry in one of these files. */
function hasOwnRegistry(names, cwd) {
  return [os.homedir(), ...foldersUp(cwd)].some((folder) =>
    names.some((name) => /^\s*"?registry"?[\s=]/m.test(readText(path.join(folder, name)) ?? '')),
  );
}

module.exports = {
  NPM,
  PUBLIC_HOSTS,
  foldersUp,
  gatewaySettings,
  hasOwnRegistry,
  readText,
  sourceOf,
};
