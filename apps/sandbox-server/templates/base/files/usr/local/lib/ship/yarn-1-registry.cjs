/**
 * Loaded before yarn 1. It fetches from the addresses in its lock file, whatever registry is configured: behind a company's
 * mirror, or with a registry that needs a token, it could install nothing. It reads the lock file with the addresses of the
 * registry gateway, and what it writes has the original ones again.
 */
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const SETTINGS = '/run/registries/npmrc';
const NPM = 'https://registry.npmjs.org/';
/** As yarn calls it. */
const PUBLIC = 'https://registry.yarnpkg.com/';
const PUBLIC_HOSTS = /^https?:\/\/registry\.(?:yarnpkg\.com|npmjs\.org)\//;
/** Of npm's registry and its kin: `HOST/any/path/NAME/-/FILE.tgz`. */
const TARBALL = /^https?:\/\/[^/]+\/(?=.*\/-\/[^/]+\.tgz(?:#|$))/;
const RESOLVED = /^( {2}resolved ")([^"\n]+)(")/gm;

function gatewaySettings() {
  try {
    const text = fs.readFileSync(SETTINGS, 'utf8');
    const registry = /^registry=(\S+)$/m.exec(text)?.[1];
    const sources = new Map(
      [...text.matchAll(/^; from (\S+)(?: for (\S+))?$/gm)].map(([, url, scope = '']) => [
        scope,
        url,
      ]),
    );
    const isEveryHost = /^replace-registry-host=always$/m.test(text);
    return registry && { registry, sources, isEveryHost };
  } catch {
    // This sandbox has no gateway.
    return undefined;
  }
}

const replaced = (text, replace) =>
  text.replace(RESOLVED, (_, before, url, after) => before + replace(url) + after);

function rewriter({ registry, sources, isEveryHost }) {
  const hosts = isEveryHost ? TARBALL : PUBLIC_HOSTS;
  const originals = new Map();
  return {
    inward: (text) =>
      replaced(text, (url) => {
        const inside = url.replace(hosts, registry);
        if (inside !== url) originals.set(inside, url);
        return inside;
      }),
    outward: (text) => replaced(text, (url) => originals.get(url) ?? sourceOf(url)),
  };

  /** Of a package that was added: the registry that it came from, by its own name. */
  function sourceOf(url) {
    if (!url.startsWith(registry)) return url;
    const name = url.slice(registry.length);
    const scope = name.startsWith('@') ? name.split('/')[0].toLowerCase() : '';
    const source = sources.get(scope) ?? sources.get('') ?? PUBLIC;
    return (source === NPM ? PUBLIC : source) + name;
  }
}

const isLock = (file) => typeof file === 'string' && path.basename(file) === 'yarn.lock';

function install(settings) {
  const { inward, outward } = rewriter(settings);
  const { readFile, writeFile } = fs;
  fs.readFile = (file, ...rest) => {
    const done = rest.at(-1);
    if (!isLock(file) || typeof done !== 'function') return readFile(file, ...rest);
    return readFile(file, ...rest.slice(0, -1), (error, data) =>
      done(error, typeof data === 'string' ? inward(data) : data),
    );
  };
  fs.writeFile = (file, data, ...rest) =>
    writeFile(file, isLock(file) && typeof data === 'string' ? outward(data) : data, ...rest);
  // For packages that the lock file does not have yet. To yarn a variable is stronger than a project's own setting.
  if (!hasOwnRegistry()) process.env.npm_config_registry ??= settings.registry;
}

function hasOwnRegistry() {
  const folders = [os.homedir()];
  for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (folder === path.dirname(folder)) break;
  }
  return folders.some((folder) =>
    ['.npmrc', '.yarnrc'].some((name) => {
      try {
        return /^\s*"?registry"?[\s=]/m.test(fs.readFileSync(path.join(folder, name), 'utf8'));
      } catch {
        return false;
      }
    }),
  );
}

const settings = gatewaySettings();
if (settings !== undefined) install(settings);
