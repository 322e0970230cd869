/**
 * Runs a bun command that installs, through the registry gateway. bun writes the address of the configured registry into its
 * lock file and downloads from the addresses in it, so the lock file has addresses of the gateway while bun runs, and the
 * original ones afterwards. Arguments: the program, then its own arguments.
 */
'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {
  NPM,
  PUBLIC_HOSTS,
  foldersUp,
  gatewaySettings,
  hasOwnRegistry,
  readText,
  sourceOf,
} = require('./registry-settings.cjs');

/** `"KEY": ["NAME@VERSION", "ADDRESS", …`: only registry packages have an address there. */
const ENTRY = /^(\s+"[^"\n]+": \[")((@?[^"@\n]+)@([^"\n]*))(", ")([^"\n]*)(")/gm;

const tarball = (registry, name, version) =>
  `${registry}${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;

/** The lock file with addresses of the gateway, and its original addresses. */
function inward(text, settings) {
  const { registry, sources, isEveryHost } = settings;
  const originals = new Map();
  const isOurs = (url) =>
    isEveryHost ||
    PUBLIC_HOSTS.test(url) ||
    [...sources.values()].some((source) => url.startsWith(source));
  const inside = text.replace(ENTRY, (whole, before, id, name, version, between, url, after) => {
    if (url.startsWith(registry)) return whole;
    originals.set(id, url);
    // bun completes an empty address from the configured registry.
    if (url === '' || !isOurs(url)) return whole;
    return before + id + between + tarball(registry, name, version) + after;
  });
  return { inside, originals };
}

function outward(text, originals, settings) {
  return text.replace(ENTRY, (whole, before, id, name, version, between, url, after) => {
    if (url !== '' && !url.startsWith(settings.registry)) return whole;
    const source = sourceOf(settings, name);
    // bun writes no address for npm's own registry, and the whole address for others.
    const added = source === NPM ? '' : tarball(source, name, version);
    return before + id + between + (originals.get(id) ?? added) + after;
  });
}

function lockFiles(cwd, args) {
  const folders = [...foldersUp(cwd)];
  // A new project may be in a folder that does not exist yet.
  if (args.some((word) => /^(?:c|create|init)$/.test(word)))
    for (const entry of fs.readdirSync(cwd, { withFileTypes: true }))
      if (entry.isDirectory()) folders.push(path.join(cwd, entry.name));
  return folders
    .map((folder) => path.join(folder, 'bun.lock'))
    .filter((file) => fs.existsSync(file));
}

function folderOf(args) {
  const index = args.findIndex((word) => /^--cwd(?:=|$)/.test(word));
  const named = index === -1 ? '.' : (args[index].split('=')[1] ?? args[index + 1] ?? '.');
  return path.resolve(named);
}

/** Addresses in a binary lock file cannot be restored. */
function keepsBinaryLock(cwd, args) {
  if (args.some((word) => word === 'ci' || word === '--frozen-lockfile')) return false;
  const folder = [...foldersUp(cwd)].find((one) =>
    ['bun.lock', 'bun.lockb'].some((name) => fs.existsSync(path.join(one, name))),
  );
  return folder !== undefined && !fs.existsSync(path.join(folder, 'bun.lock'));
}

function usableSettings(cwd, args) {
  const settings = gatewaySettings();
  if (settings === undefined || keepsBinaryLock(cwd, args)) return undefined;
  // The registry of a calling bun is the gateway's.
  const named = process.env.BUN_CONFIG_REGISTRY;
  if (named !== undefined) return named === settings.registry ? settings : undefined;
  return hasOwnRegistry(['.npmrc', 'bunfig.toml', '.bunfig.toml'], cwd) ? undefined : settings;
}

/** Returns a function that undoes it. */
function useGateway(settings, cwd, args) {
  process.env.BUN_CONFIG_REGISTRY = settings.registry;
  const before = new Map();
  for (const file of lockFiles(cwd, args)) {
    const text = readText(file) ?? '';
    const { atime, mtime } = fs.statSync(file);
    const { inside, originals } = inward(text, settings);
    before.set(file, { text, atime, mtime, originals });
    if (inside !== text) fs.writeFileSync(file, inside);
  }
  return () => {
    for (const file of lockFiles(cwd, args)) {
      const known = before.get(file);
      const text = readText(file) ?? '';
      const outside = outward(text, known?.originals ?? new Map(), settings);
      if (outside !== text) fs.writeFileSync(file, outside);
      // For programs that compare times: this lock file has not changed.
      if (outside === known?.text) fs.utimesSync(file, known.atime, known.mtime);
    }
  };
}

const [, , bun, ...args] = process.argv;
let child;
// Before the lock file changes: a signal without a listener would leave addresses of the gateway in it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child?.kill(signal));
const cwd = folderOf(args);
const settings = usableSettings(cwd, args);
let undo = () => {};
try {
  if (settings !== undefined) undo = useGateway(settings, cwd, args);
} catch {
  // This user cannot write the lock file: bun reports that itself, or does not need to write it.
}
child = spawn(bun, args, { stdio: 'inherit' });
child.once('error', (error) => {
  undo();
  process.stderr.write(`ship: ${bun} could not start: ${error.message}\n`);
  process.exitCode = 1;
});
child.once('exit', (code, signal) => {
  undo();
  process.exitCode = code ?? 128 + (os.constants.signals[signal] ?? 0);
});
