import * as protocol from '@ship/protocol';
import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';

type Json = Record<string, unknown>;

/** The API as OpenAPI 3.1, generated from the schemas that parse requests, so that the two cannot drift apart. */
export function openApiDocument(version: string, endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = `/api${endpoint.path}`;
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Ship', version },
    paths,
    components: {
      schemas: namedSchemas(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ token: [] }],
  };
}

function operation({
  method,
  path,
  summary,
  params,
  query,
  body,
  response,
  status,
}: Endpoint): Json {
  return {
    operationId: [method, ...path.split('/').filter(Boolean)].join('-').replaceAll(/[{}]/g, ''),
    summary,
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query')],
    ...(body && { requestBody: { required: true, content: jsonContent(inputSchema(body)) } }),
    responses: {
      [status ?? (response === null ? 204 : 200)]: {
        description: summary,
        ...(response && { content: jsonContent(reference(response)) }),
      },
      default: {
        description: 'What went wrong and what to do about it',
        content: jsonContent(reference(protocol.ErrorBody)),
      },
    },
  };
}

function parameters(schema: z.ZodType | undefined, location: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = inputSchema(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    required: required.includes(name),
    schema: property,
  }));
}

const jsonContent = (schema: Json): Json => ({ 'application/json': { schema } });

/** The schema of a request: fields with a default are optional. */
function inputSchema(schema: z.ZodType): Json {
  return embedded(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** A response must use a schema that the protocol exports, so that clients can name its type. */
function reference(schema: z.ZodType): Json {
  const name = NAMES.get(schema);
  if (name === undefined)
    throw new Error('A response has a schema that the protocol does not export.');
  return { $ref: refOf(name) };
}

const NAMES = new Map<unknown, string>(
  Object.entries(protocol).flatMap(([name, value]) =>
    value instanceof z.ZodType ? [[value, name] as const] : [],
  ),
);

const refOf = (name: string): string => `#/components/schemas/${name}`;

function namedSchemas(): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of NAMES) registry.add(schema as z.ZodType, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: refOf, unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, embedded(schema)]),
  );
}

/** Strips `$schema` and `$id`, which an embedded schema inherits from the document. */
function embedded(schema: Json): Json {
  const kept = Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id');
  return Object.fromEntries(kept);
}
