import { describe, expect, it } from 'vitest';
import { testApi } from '../../testing/api.ts';

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

async function readDocument() {
  const api = testApi();
  const document = await (await api.call('GET', '/api/openapi.json')).json<Document>();
  return { api, document };
}

/** Every `$ref` in the document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  );
}

describe('/api/openapi.json', () => {
  it('[AP4] has every route, its parameters, its body and its responses', async () => {
    const { api, document } = await readDocument();
    expect(document.openapi).toBe('3.1.0');
    for (const { method, path, body, params } of api.endpoints) {
      const operation = document.paths[`/api${path}`]?.[method];
      expect([method, path, operation === undefined]).toEqual([method, path, false]);
      expect(operation?.requestBody !== undefined).toBe(body !== undefined);
      const inPath = operation?.parameters.filter((parameter) => parameter.in === 'path') ?? [];
      expect(inPath.length > 0).toBe(params !== undefined);
      expect(inPath.map(({ name }) => `{${name}}`).every((name) => path.includes(name))).toBe(true);
      expect(operation?.responses.default).toBeDefined();
    }
    const operations = Object.values(document.paths).flatMap((each) => Object.values(each));
    expect(operations).toHaveLength(api.endpoints.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it('[AP4] every reference resolves, and no schema is empty by accident', async () => {
    const { document } = await readDocument();
    const refs = references(document);
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of refs) {
      const name = ref.replace('#/components/schemas/', '');
      expect(document.components.schemas).toHaveProperty([name]);
    }
    for (const name of ['SessionSummary', 'Card', 'Settings', 'LiveMessage', 'ErrorBody'])
      expect(Object.keys(document.components.schemas[name] ?? {})).not.toEqual([]);
  });

  it('[AP4] a field with a default is optional in requests and always present in responses', async () => {
    const { document } = await readDocument();
    const body = document.paths['/api/board/cards']?.post?.requestBody?.content['application/json'];
    expect(body?.schema).toMatchObject({ required: ['title', 'requestId'] });
    expect(document.components.schemas.Draft).toMatchObject({
      required: ['title', 'text', 'repository', 'base', 'model'],
    });
  });
});
