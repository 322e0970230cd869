/** Finds npm packages as Node would, and copies them with their dependencies into a template's tree. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PackageRule } from './manifest.ts';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));

export interface FoundPackage {
  name: string;
  version: string;
  folder: string;
  dependencies: string[];
}

/** Searches the node_modules of a folder and its parents. Not `require.resolve`: many packages hide their package.json. */
export function findPackage(name: string, from: string = HERE): FoundPackage | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return describe(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

/** The bundled npm, for templates and for the host: a machine's own may be of any age, or absent. */
export function npmProgram(): string {
  const npm = findPackage('npm');
  if (npm === undefined)
    throw new Error('npm is not installed here; run "npm install" in the clone');
  return join(npm.folder, 'bin', 'npm-cli.js');
}

function describe(folder: string): FoundPackage {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, dependencies } = JSON.parse(text) as {
    name: string;
    version: string;
    dependencies?: Record<string, string>;
  };
  return { name, version, folder, dependencies: Object.keys(dependencies ?? {}) };
}

export const forThisMachine = (name: string): string => name.replace('{arch}', process.arch);

export async function placePackage(root: string, name: string, rule: PackageRule): Promise<void> {
  const found = findPackage(forThisMachine(name));
  if (found === undefined) {
    if (rule.isOptional === true) return;
    throw new Error(`the template needs the npm package ${name}; run "npm install"`);
  }
  const target = join(root, rule.to);
  mkdirSync(dirname(target), { recursive: true });
  if (rule.file !== undefined) await copy(join(found.folder, rule.file), target);
  else if (rule.withDependencies === true) await placeTree(found, target);
  else await copyPackage(found, target, false);
  if (rule.lockFile !== undefined)
    writeFileSync(join(root, rule.lockFile), lockFile(found, target));
}

/** Uses a separate process: copying thousands of small files in Node would block everything else. */
async function copy(source: string, target: string): Promise<void> {
  await run('cp', ['-a', '--no-target-directory', '--reflink=auto', '--', source, target]);
}

async function copyPackage(
  found: FoundPackage,
  target: string,
  withoutNested: boolean,
): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  await copy(found.folder, target);
  if (withoutNested) rmSync(join(target, 'node_modules'), { recursive: true, force: true });
}

/** Flat where possible; a second version of a package goes below its dependent. */
async function placeTree(found: FoundPackage, modules: string): Promise<void> {
  const placed = new Map<string, string>();
  const place = async (wanted: FoundPackage, parent: string | undefined): Promise<void> => {
    const version = placed.get(wanted.name);
    if (version === wanted.version) return;
    const isNested = version !== undefined && parent !== undefined;
    const target = isNested
      ? join(parent, 'node_modules', wanted.name)
      : join(modules, wanted.name);
    if (isNested && existsSync(target)) return;
    if (!isNested) placed.set(wanted.name, wanted.version);
    await copyPackage(wanted, target, true);
    for (const name of wanted.dependencies) {
      const dependency = findPackage(name, wanted.folder);
      if (dependency === undefined)
        throw new Error(`${wanted.name} needs ${name}; run "npm install"`);
      await place(dependency, target);
    }
  };
  await place(found, undefined);
}

/** Enough of a lock file for tools that check it for installed versions. */
function lockFile(found: FoundPackage, modules: string): string {
  const entries: Record<string, unknown> = {
    '': { dependencies: { [found.name]: found.version } },
  };
  const visit = (name: string): void => {
    const key = `node_modules/${name}`;
    if (key in entries || !existsSync(join(modules, name, 'package.json'))) return;
    const { version, dependencies } = describe(join(modules, name));
    entries[key] = { version };
    for (const dependency of dependencies) visit(dependency);
  };
  visit(found.name);
  return `${JSON.stringify({ lockfileVersion: 3, requires: true, packages: entries }, null, 2)}\n`;
}
