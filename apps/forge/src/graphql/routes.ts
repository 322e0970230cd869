import { execute, GraphQLError, parse, validate } from 'graphql';
import { Hono } from 'hono';
import * as z from 'zod';
import type { Forge } from '../forge.ts';
import { readJson } from '../http/body.ts';
import type { Env } from '../http/context.ts';
import { ApiError } from '../http/errors.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { reply } from '../http/respond.ts';
import { rootOf } from './resolvers.ts';
import { schema } from './schema.ts';

const request = z.object({
  query: z.string().min(1).max(100_000),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** A small document can ask for very much by nesting; the bound on its parts is a bound on the work. */
const maxTokens = 2000;

export function graphqlRoutes(forge: Forge, rate: RateLimit): Hono<Env> {
  const app = new Hono<Env>();
  app.on('POST', ['/graphql', '/api/graphql'], async (c) => {
    const body = await readJson(c, 'GraphQL', request);
    try {
      const document = parse(body.query, { maxTokens });
      const mistakes = validate(schema, document, undefined, { maxErrors: 10 });
      if (mistakes.length > 0) return reply(c, { errors: mistakes.map(errorJson) });
      const result = await execute({
        schema,
        document,
        rootValue: rootOf(forge, c.get('actor'), rate),
        variableValues: body.variables ?? {},
        operationName: body.operationName ?? undefined,
      });
      const errors = result.errors?.map((error) => errorJson(hideFaults(forge, error)));
      return reply(c, { data: result.data ?? null, ...(errors === undefined ? {} : { errors }) });
    } catch (error) {
      if (error instanceof GraphQLError) return reply(c, { errors: [errorJson(error)] });
      throw error;
    }
  });
  return app;
}

/** What a resolver did not foresee is logged and told to nobody. */
function hideFaults(forge: Forge, error: GraphQLError): GraphQLError {
  const cause = error.originalError;
  if (
    cause === undefined ||
    cause === null ||
    cause instanceof GraphQLError ||
    cause instanceof ApiError
  )
    return error;
  forge.log(`graphql: ${cause.stack ?? cause.message}`);
  return new GraphQLError('Something went wrong while executing your query.');
}

function errorJson(error: GraphQLError): Record<string, unknown> {
  const { message, locations, path, extensions } = error.toJSON();
  const type = extensions?.['type'];
  return {
    ...(type === undefined ? {} : { type }),
    ...(path === undefined ? {} : { path }),
    ...(locations === undefined ? {} : { locations }),
    message,
  };
}
