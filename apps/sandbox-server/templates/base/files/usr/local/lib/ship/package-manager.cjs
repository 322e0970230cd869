#!/usr/bin/env node
/**
 * `pnpm`, `pnpx`, `yarn`, `yarnpkg` and `corepack` in a sandbox. Runs the version that `packageManager` in package.json
 * requests: the bundled one, one that an earlier call downloaded, or a download through npm (and so through npm's
 * registry settings). Without a registry it runs the bundled version, and reports that in one line on stderr.
 */
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const BUNDLED = path.join(__dirname, '..', 'node_modules');
const YARN_1_REGISTRY = path.join(__dirname, 'yarn-1-registry.cjs');
const DOWNLOAD_TIMEOUT_MS = 90_000;
/** A failed download is not retried for a while: offline, every call would wait for the same refusal. */
const RETRY_AFTER_MS = 10 * 60_000;
const SPEC = /^(pnpm|yarn)@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+(sha\d+)\.([0-9a-f]+))?$/;

const say = (text) => process.stderr.write(`ship: ${text}\n`);

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

function readJson(file) {
  try {
    return JSON.parse(readText(file) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** The nearest `packageManager` for this manager; a manager itself complains about another one's entry. */
function requestedVersion(manager, cwd) {
  for (const folder of foldersUp(cwd)) {
    const text = readJson(path.join(folder, 'package.json'))?.packageManager;
    if (typeof text !== 'string') continue;
    const match = SPEC.exec(text);
    if (match === null || match[1] !== manager) return undefined;
    return { version: match[2], algorithm: match[3], hash: match[4] };
  }
  return undefined;
}

/** Yarn 2 and later keep their settings in .yarnrc.yml and mark their lock file; yarn 1 does neither. */
function isBerryProject(cwd) {
  for (const folder of foldersUp(cwd)) {
    // Ignores the user's file in the home folder: it would turn every yarn 1 project below it into a yarn 4 project.
    if (folder !== os.homedir() && fs.existsSync(path.join(folder, '.yarnrc.yml'))) return true;
    const lock = readText(path.join(folder, 'yarn.lock'));
    if (lock !== undefined) return /^__metadata:/m.test(lock);
  }
  return false;
}

const packageName = (manager, isBerry) =>
  manager === 'yarn' && isBerry ? '@yarnpkg/cli-dist' : manager;

/** yarn itself follows a checked-in release (`yarnPath`), so it needs no download. */
function hasYarnPath(cwd) {
  for (const folder of foldersUp(cwd)) {
    const release = /^yarnPath:\s*["']?([^"'\n]+)/m.exec(
      readText(path.join(folder, '.yarnrc.yml')) ?? '',
    )?.[1];
    if (release !== undefined) return fs.existsSync(path.resolve(folder, release.trim()));
  }
  return false;
}

function npm(args, cwd) {
  const quiet = [
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--loglevel=error',
    '--fetch-retries=0',
  ];
  return spawnSync(
    process.execPath,
    [path.join(BUNDLED, 'npm', 'bin', 'npm-cli.js'), ...args, ...quiet],
    {
      cwd,
      encoding: 'utf8',
      timeout: DOWNLOAD_TIMEOUT_MS,
      // The calling manager's settings (its prefix, its workspaces) must not reach this npm. Without the global
      // configuration it would miss the registry gateway and contact the public registry.
      env: Object.fromEntries(
        Object.entries(process.env).filter(
          ([name]) => !/^npm_(?!config_(?:registry|userconfig|globalconfig)$)/i.test(name),
        ),
      ),
    },
  );
}

function reasonOf(result) {
  if (result.error !== undefined) return result.error.code ?? result.error.message;
  return (
    /npm error (?:code )?(\S.*)/.exec(result.stderr ?? '')?.[1] ?? `npm ended with ${result.status}`
  ).slice(0, 120);
}

/** Downloads the package to the folder, or returns why it failed. A wrong hash is always fatal. */
function download(name, wanted, folder) {
  const failed = `${folder}.failed`;
  const lastReason = readText(failed);
  if (lastReason !== undefined && Date.now() - fs.statSync(failed).mtimeMs < RETRY_AFTER_MS)
    return { reason: lastReason };
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  const temporary = fs.mkdtempSync(`${folder}-`);
  try {
    fs.writeFileSync(path.join(temporary, 'package.json'), '{"private":true}\n');
    const packed = npm(['pack', `${name}@${wanted.version}`], temporary);
    const archive = fs.readdirSync(temporary).find((file) => file.endsWith('.tgz'));
    if (packed.status !== 0 || archive === undefined) return giveUp(failed, reasonOf(packed));
    // Yarn 2 and later publish the hash of another file; npm has verified the archive against the registry's.
    if (wanted.hash !== undefined && name !== '@yarnpkg/cli-dist') {
      const found = createHash(wanted.algorithm)
        .update(fs.readFileSync(path.join(temporary, archive)))
        .digest('hex');
      if (found !== wanted.hash) {
        say(
          `${name}@${wanted.version} has another hash than "packageManager" in package.json requires; not run`,
        );
        process.exit(1);
      }
    }
    const installed = npm(['install', `./${archive}`], temporary);
    if (installed.status !== 0) return giveUp(failed, reasonOf(installed));
    fs.renameSync(temporary, folder);
    return {};
  } catch (error) {
    // Another call has installed the same version meanwhile.
    return fs.existsSync(folder) ? {} : giveUp(failed, error.code ?? error.message);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function giveUp(file, reason) {
  fs.writeFileSync(file, reason);
  return { reason };
}

function binOf(folder, command) {
  const { bin } = readJson(path.join(folder, 'package.json')) ?? {};
  const file = typeof bin === 'string' ? bin : (bin?.[command] ?? Object.values(bin ?? {})[0]);
  return file === undefined ? undefined : path.join(folder, file);
}

/** Picks the program to run. */
function choose(manager, cwd) {
  const wanted = requestedVersion(manager, cwd);
  const isBerry =
    wanted === undefined ? isBerryProject(cwd) : Number.parseInt(wanted.version, 10) > 1;
  const name = packageName(manager, isBerry);
  const bundled = path.join(BUNDLED, name);
  const version = readJson(path.join(bundled, 'package.json'))?.version;
  if (wanted === undefined || wanted.version === version)
    return { folder: bundled, isBundled: true };
  if (manager === 'yarn' && hasYarnPath(cwd)) return { folder: bundled, isBundled: true };
  const home = path.join(
    os.homedir(),
    '.cache',
    'ship',
    'package-managers',
    `${manager}-${wanted.version}`,
  );
  const folder = path.join(home, 'node_modules', name);
  const { reason } = fs.existsSync(folder) ? {} : download(name, wanted, home);
  if (reason === undefined) return { folder, isBundled: false };
  say(
    `package.json requests ${manager}@${wanted.version}, which cannot be downloaded (${reason}); using the bundled ${manager} ${version}`,
  );
  return { folder: bundled, isBundled: true };
}

function run(manager, command, args) {
  const { folder, isBundled } = choose(manager, process.cwd());
  const file = binOf(folder, command);
  if (file === undefined) {
    say(`${folder} has no program ${command}`);
    process.exit(1);
  }
  // This script has picked the version: neither manager may switch to another one.
  process.env.npm_config_manage_package_manager_versions = 'false';
  process.env.SKIP_YARN_COREPACK_CHECK = '1';
  const isYarn1 =
    manager === 'yarn' &&
    (readJson(path.join(folder, 'package.json'))?.version ?? '').startsWith('1.');
  // Yarn 1 would query yarnpkg.com for updates. Later yarns exit with an error for a setting that they do not know.
  if (isYarn1) process.env.yarn_disable_self_update_check = 'true';
  if (isBundled) {
    if (isYarn1) require(YARN_1_REGISTRY);
    process.argv = [process.argv[0], file, ...args];
    require(file);
    return;
  }
  const isScript =
    /\.[cm]?js$/.test(file) || /^#!.*\bnode\b/.test((readText(file) ?? '').slice(0, 100));
  const before = isYarn1 ? ['--require', YARN_1_REGISTRY] : [];
  const [program, given] = isScript ? [process.execPath, [...before, file, ...args]] : [file, args];
  const child = spawn(program, given, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    say(`${file} could not start: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (os.constants.signals[signal] ?? 0);
  });
}

/** Many setup scripts call `corepack enable` and similar; here there is nothing left to enable. */
function corepack([verb = '', ...rest]) {
  const manager = /^(pnpm|yarn)(?:@|$)/.exec(verb)?.[1];
  if (manager !== undefined) run(manager, manager, rest);
  else if (verb === '--version' || verb === '-v') process.stdout.write('0.0.0-ship\n');
  else
    say(
      'pnpm and yarn are installed and follow "packageManager" in package.json; corepack has nothing to do',
    );
}

const [, invoked = '', ...args] = process.argv;
const command = path.basename(invoked);
if (command === 'corepack') corepack(args);
else run(command.startsWith('yarn') ? 'yarn' : 'pnpm', command, args);
