import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;

interface Operation {
  pattern: RegExp;
  literal: number;
  path: string;
  methods: Record<string, { responses?: Record<string, Json> }>;
}

/** Validates responses against GitHub's OpenAPI description. */
export class GitHubDescription {
  readonly #ajv: Ajv;
  readonly #operations: Operation[];
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    const require = createRequire(import.meta.url);
    const file = require.resolve('@octokit/openapi/generated/api.github.com.json');
    const document = JSON.parse(readFileSync(file, 'utf8')) as Json;
    prune(document);
    allowNull(document);
    this.#ajv = new Ajv({ strict: false, allErrors: true, logger: false });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'github', ...document });
    this.#operations = Object.entries(document['paths'] as Json).map(([path, methods]) => ({
      path,
      methods: methods as Operation['methods'],
      literal: path.replace(/\{[^}]+\}/g, '').length,
      pattern: new RegExp(
        `^${path
          .replace(/[.]/g, '\\.')
          .replace(/\{(path|ref|basehead|branch|tree_sha)\}$/, '.+')
          .replace(/\{[^}]+\}/g, '[^/]+')}$`,
      ),
    }));
  }

  /** The validation errors of a response. */
  check(method: string, path: string, status: number, body: unknown): string[] {
    if (path.endsWith('/contents')) return this.check(method, `${path}/root`, status, body);
    const matching = this.#operations.filter((one) => one.pattern.test(path));
    const operation = matching.toSorted((a, b) => b.literal - a.literal)[0];
    const response = operation?.methods[method.toLowerCase()]?.responses?.[String(status)];
    const where = `${method} ${path} ${status}`;
    if (status === 204 || status === 304) return body === undefined ? [] : [`${where}: has a body`];
    if (operation === undefined || response === undefined) {
      if (status < 400) return [`${where}: GitHub describes no such answer`];
      return this.schema('#/components/schemas/basic-error', body, where);
    }
    const pointer = ['paths', operation.path, method.toLowerCase(), 'responses', String(status)];
    const target = response['$ref'] as string | undefined;
    const content = target === undefined ? response['content'] : this.#resolve(target)['content'];
    if ((content as Json | undefined)?.['application/json'] === undefined)
      return status < 400
        ? [`${where}: GitHub describes no JSON`]
        : this.schema('#/components/schemas/basic-error', body, where);
    const base = target ?? `#/${pointer.map(escape).join('/')}`;
    return this.schema(`${base}/content/application~1json/schema`, body, where);
  }

  schema(pointer: string, body: unknown, where: string): string[] {
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `github${pointer}` });
      this.#validators.set(pointer, validate);
    }
    if (validate(body)) return [];
    return (validate.errors ?? [])
      .slice(0, 8)
      .map(
        (error) =>
          `${where}: ${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
      );
  }

  #resolve(pointer: string): Json {
    const name = pointer.split('/').at(-1) ?? '';
    const schema = this.#ajv.getSchema('github')?.schema as Json;
    const responses = (schema['components'] as Json)['responses'] as Record<string, Json>;
    return responses[name] ?? {};
  }
}

/** Removes unused parts: with the whole document in memory, every start of a git process would be slow. */
function prune(document: Json): void {
  delete document['x-webhooks'];
  const paths = document['paths'] as Record<string, Json>;
  for (const [path, methods] of Object.entries(paths)) {
    const served =
      /^\/(repos\/\{owner\}\/\{repo\}(\/(branches|git|commits|compare|contents|pulls|issues|labels|statuses|check-runs)(\/|$)|$)|user|orgs\/\{org\}\/repos|rate_limit|meta)/;
    if (!served.test(path)) delete paths[path];
    for (const operation of Object.values(methods)) {
      delete (operation as Json)['requestBody'];
      delete (operation as Json)['parameters'];
      anyError(operation as Operation['methods'][string]);
    }
  }
  const components = document['components'] as Json;
  delete components['examples'];
  delete components['parameters'];
  removeKeys(document, new Set(['example', 'examples', 'description', 'externalDocs', 'x-github']));
}

/** `oneOf` two error schemas without required properties: every error matches both, so none would be valid. */
function anyError({ responses = {} }: Operation['methods'][string]): void {
  for (const [status, { content }] of Object.entries(responses)) {
    const { schema } = ((content as Json | undefined)?.['application/json'] ?? {}) as {
      schema?: Json;
    };
    if (Number(status) < 400 || schema?.['oneOf'] === undefined) continue;
    schema['anyOf'] = schema['oneOf'];
    delete schema['oneOf'];
  }
}

function removeKeys(node: unknown, names: ReadonlySet<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    // A property with such a name is an object here, the annotation is not.
    const annotation =
      names.has(key) && (key === 'examples' || typeof value !== 'object' || value === null);
    if (annotation) delete (node as Json)[key];
    else removeKeys(value, names);
  }
}

function escape(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Converts OpenAPI 3.0's `nullable` to JSON Schema for the validator. */
function allowNull(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const value of Object.values(node)) allowNull(value);
  const schema = node as Json;
  if (schema['nullable'] !== true) return;
  delete schema['nullable'];
  const copy = { ...schema };
  for (const key of Object.keys(schema)) delete schema[key];
  schema['anyOf'] = [copy, { type: 'null' }];
}
