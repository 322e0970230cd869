/** A Worker with only the artifact store, for tests that kill its process. */
import { artifactStore } from '../artifacts/index.ts';

export default {
  async fetch(request: Request, env: { ARTIFACTS: Fetcher }): Promise<Response> {
    const store = artifactStore(env.ARTIFACTS);
    const key = new URL(request.url).pathname.slice(1);
    if (request.method === 'PUT') {
      const body = request.body ?? new Uint8Array();
      return Response.json(await store.put(key, body, 'application/octet-stream'));
    }
    const found = await store.get(key);
    return found === undefined
      ? new Response('', { status: 404 })
      : new Response(found.body, { headers: { 'x-size': String(found.size) } });
  },
};
