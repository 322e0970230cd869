/**
 * Preloaded into yarn 1, which fetches from the addresses in its lock file, not from the configured registry: behind a
 * company's mirror, or with a registry that requires a token, it could install nothing. This rewrites the lock file's
 * addresses to the registry gateway when yarn reads it, and back to the original ones when yarn writes it.
 */
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const {
  NPM,
  PUBLIC_HOSTS,
  gatewaySettings,
  hasOwnRegistry,
  sourceOf,
} = require('./registry-settings.cjs');

/** yarn's name for npm's registry. */
const PUBLIC = 'https://registry.yarnpkg.com/';
/** Addresses of npm-compatible registries: `HOST/any/path/NAME/-/FILE.tgz`. */
const TARBALL = /^https?:\/\/[^/]+\/(?=.*\/-\/[^/]+\.tgz(?:#|$))/;
const RESOLVED = /^( {2}resolved ")([^"\n]+)(")/gm;

const replaced = (text, replace) =>
  text.replace(RESOLVED, (_, before, url, after) => before + replace(url) + after);

function rewriter(settings) {
  const { registry, isEveryHost } = settings;
  const hosts = isEveryHost ? TARBALL : PUBLIC_HOSTS;
  const originals = new Map();
  return {
    inward: (text) =>
      replaced(text, (url) => {
        const inside = url.replace(hosts, registry);
        if (inside !== url) originals.set(inside, url);
        return inside;
      }),
    outward: (text) => replaced(text, (url) => originals.get(url) ?? named(url)),
  };

  /** The address of an added package. */
  function named(url) {
    if (!url.startsWith(registry)) return url;
    const name = url.slice(registry.length);
    const source = sourceOf(settings, name);
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
  // For packages that are not in the lock file yet. yarn prefers a variable to a project's own setting.
  if (!hasOwnRegistry(['.npmrc', '.yarnrc'], process.cwd()))
    process.env.npm_config_registry ??= settings.registry;
}

const settings = gatewaySettings();
if (settings !== undefined) install(settings);
