import { NOT_KEPT, type Endpoint, endpoint } from '../endpoint.ts';
import { openApiDocument } from './document.ts';

/** Describes the given endpoints and itself. Made when first asked for: few ever ask. */
export function openApiRoute(version: string, others: readonly Endpoint[]): Endpoint {
  let text: string | undefined;
  const self: Endpoint = endpoint({
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    answer: null,
    status: 200,
    async handle() {
      text ??= JSON.stringify(openApiDocument(version, [...others, self]));
      return new Response(text, {
        headers: { ...Object.fromEntries(NOT_KEPT), 'content-type': 'application/json' },
      });
    },
  });
  return self;
}
