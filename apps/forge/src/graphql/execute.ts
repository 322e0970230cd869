import { execute, GraphQLError, parse, validate } from 'graphql';
import type { Forge } from '../forge.ts';
import type { Actor } from '../http/actor.ts';
import { ApiError } from '../http/errors.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { rootOf } from './resolvers.ts';
import { schema } from './schema.ts';

export interface GraphqlRequest {
  query: string;
  variables?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
}

/** A small document can request a lot by nesting; limiting its tokens limits the work. */
const maxTokens = 2000;

export async function executeGraphql(
  forge: Forge,
  { actor, rate }: { actor: Actor; rate: RateLimit },
  { query, variables, operationName }: GraphqlRequest,
): Promise<Record<string, unknown>> {
  try {
    const document = parse(query, { maxTokens });
    const invalid = validate(schema, document, undefined, { maxErrors: 10 });
    if (invalid.length > 0) return { errors: invalid.map(errorJson) };
    const result = await execute({
      schema,
      document,
      rootValue: rootOf(forge, actor, rate),
      variableValues: variables ?? {},
      operationName: operationName ?? undefined,
    });
    const errors = result.errors?.map((error) => errorJson(hideInternalError(forge, error)));
    return { data: result.data ?? null, ...(errors === undefined ? {} : { errors }) };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [errorJson(error)] };
    throw error;
  }
}

/** Logs unexpected errors of resolvers; clients get a generic message. */
function hideInternalError(forge: Forge, error: GraphQLError): GraphQLError {
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
