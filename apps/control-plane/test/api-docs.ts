/** `npm run api-docs --workspace apps/control-plane` generates docs/api.md from the routes; a test fails when it is stale. */
import { writeFileSync } from 'node:fs';

export const API_DOCUMENT = new URL('../../../docs/api.md', import.meta.url);

interface Schema {
  type?: string | string[];
  $ref?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
}

interface Operation {
  summary: string;
  parameters: { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
}

const INTRODUCTION = `# The API

Made from the routes by \`npm run api-docs --workspace apps/control-plane\`: do not edit. The whole of it, with every pattern and every type of
an answer, is OpenAPI 3.1 at \`GET /api/openapi.json\` of a running server.

- **Authentication**: \`Authorization: Bearer TOKEN\`. Make a token with \`npx --no-install ship token create NAME\`; on one machine
  \`secrets/local-token\` of the data folder is one too.
- **Changes carry a \`requestId\`** of 8 to 128 characters that you choose: the same request again gets the same answer and
  is done once; the same id with another content is refused (\`request-id-reused\`).
- **Errors** are \`{"error": {"code", "category", "message", "remedy", "action"?}}\`; [troubleshooting.md](troubleshooting.md) has
  every code. Only \`transient\` ones are worth repeating as they are.
- **Lists** come in pages: pass \`nextCursor\` as \`cursor\`.
- A field with \`?\` may be left out.

\`\`\`sh
curl -s -X POST "$SHIP_URL/api/sessions" -H "authorization: Bearer $SHIP_TOKEN" -H 'content-type: application/json' \\
  -d '{"requestId": "my-task-0001", "repository": "https://github.com/me/app", "prompt": "Fix the failing test"}'
\`\`\`
`;

/** The used exports of the Worker's modules, whose own types need the Workers platform that Node tests do not have. */
interface WorkerModules {
  apiEndpoints: (parts: object) => unknown[];
  openApiDocument: (version: string, endpoints: unknown[]) => unknown;
}

/** Reads the declarations of the routes without calling one, so empty dependencies suffice. */
async function readDocument(): Promise<Document> {
  const { apiEndpoints } = await load('api.ts');
  const { openApiDocument } = await load('openapi/document.ts');
  const parts = { version: '0', hooks: {}, models: {}, artifacts: {} };
  return openApiDocument('0', apiEndpoints(parts)) as Document;
}

async function load(path: string): Promise<WorkerModules> {
  return (await import(new URL(`../src/http/${path}`, import.meta.url).href)) as WorkerModules;
}

export async function apiMarkdown(): Promise<string> {
  const { paths } = await readDocument();
  const groups = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    const group = path.split('/')[2] ?? '';
    const entries = Object.entries(operations).map(([method, one]) => entry(method, path, one));
    groups.set(group, [...(groups.get(group) ?? []), ...entries]);
  }
  const sections = [...groups].map(([group, entries]) => `## ${group}\n\n${entries.join('\n')}`);
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

function entry(method: string, path: string, operation: Operation): string {
  const { summary, parameters, requestBody, responses } = operation;
  const query = parameters.filter((one) => one.in === 'query');
  const body = requestBody?.content['application/json']?.schema;
  const lines = [
    `### ${method.toUpperCase()} ${path}`,
    '',
    `${summary}.`,
    '',
    ...query.map(({ name, required, schema }) => `- query ${field(name, required, schema)}`),
    ...(body === undefined ? [] : fields(body)),
    ...answers(responses),
    '',
  ];
  return lines.join('\n');
}

function fields(schema: Schema): string[] {
  const { properties, required = [] } = schema;
  if (properties === undefined) return [`- body: \`${typeName(schema)}\``];
  return Object.entries(properties).map(
    ([name, one]) => `- body ${field(name, required.includes(name), one)}`,
  );
}

function field(name: string, isRequired: boolean, schema: Schema): string {
  const fallback =
    schema.default === undefined || schema.default === null
      ? ''
      : `, default \`${JSON.stringify(schema.default)}\``;
  return `\`${name}${isRequired ? '' : '?'}\`: \`${typeName(schema)}\`${fallback}`;
}

function answers(responses: Operation['responses']): string[] {
  return Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { content }]) => {
      const schema = content?.['application/json']?.schema;
      return `- answers ${status}${schema === undefined ? '' : ` with \`${typeName(schema)}\``}`;
    });
}

/** A short name; the exact bounds are in the OpenAPI document. */
function typeName(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'object';
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return [...new Set(several.map(typeName))].join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items !== undefined) return `${typeName(schema.items)}[]`;
  if (schema.properties !== undefined) return `{ ${Object.keys(schema.properties).join(', ')} }`;
  return Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
}

if (import.meta.main) writeFileSync(API_DOCUMENT, await apiMarkdown());
