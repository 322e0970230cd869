/** Loads a script file, with exact error locations. */
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileScript } from './compile.ts';
import { type ScriptFile, scriptSchema } from './schema.ts';
import type { Script } from './script.ts';

export class ScriptError extends Error {
  override name = 'ScriptError';
}

export async function loadScript(file: string): Promise<Script> {
  return parseScript(await readScript(file), file);
}

/** `source` starts each error message: the file, or a name for a script that is passed as a value. */
export function parseScript(value: unknown, source = 'script'): Script {
  const parsed = scriptSchema.safeParse(value);
  if (parsed.success) return compileScript(parsed.data);
  const lines = parsed.error.issues.map((issue) => `${formatPath(issue.path)}: ${issue.message}`);
  throw new ScriptError(
    `${source} is not a valid script:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  );
}

/** Type-checks a script in TypeScript. */
export function defineScript(script: ScriptFile): ScriptFile {
  return script;
}

async function readScript(file: string): Promise<unknown> {
  switch (extname(file)) {
    case '.json':
      return parseJson(await readText(file), file);
    case '.ts':
    case '.mts':
    case '.js':
    case '.mjs':
      return importDefault(file);
    default:
      throw new ScriptError(`${file}: a script is a .json, .ts, .mts, .js or .mjs file`);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ScriptError(`${file} cannot be read: ${reason(error)}`, { cause: error });
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ScriptError(`${file} is not JSON: ${reason(error)}`, { cause: error });
  }
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const url = pathToFileURL(resolve(file)).href;
    const module = (await import(/* @vite-ignore */ url)) as { default?: unknown };
    return module.default;
  } catch (error) {
    throw new ScriptError(`${file} cannot be loaded: ${reason(error)}`, { cause: error });
  }
}

function formatPath(path: PropertyKey[]): string {
  if (path.length === 0) return '(top)';
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`,
    )
    .join('');
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
