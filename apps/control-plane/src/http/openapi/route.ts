import { NO_STORE_HEADERS, type Endpoint, endpoint } from '../endpoint.ts';
import { openApiDocument } from './document.ts';

/** The route of the OpenAPI document, which describes the given endpoints and itself. Generated on first use. */
export function openApiRoute(version: string, others: readonly Endpoint[]): Endpoint {
  let text: string | undefined;
  const self: Endpoint = endpoint({
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    response: null,
    status: 200,
    async handle() {
      text ??= JSON.stringify(openApiDocument(version, [...others, self]));
      return new Response(text, {
        headers: { ...Object.fromEntries(NO_STORE_HEADERS), 'content-type': 'application/json' },
      });
    },
  });
  return self;
}
