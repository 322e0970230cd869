import { HostEditor } from '@ship/protocol';

/** The host's part in running the editor; there is no host in the cloud. */
export interface EditorHost {
  /** `status` reads the state; `install` starts the installation if it is needed, and returns at once. */
  ask(what: 'status' | 'install'): Promise<HostEditor>;
}

const TIMEOUT_MS = 10_000;

export function editorHost(host: Pick<Fetcher, 'fetch'> | undefined): EditorHost | undefined {
  if (host === undefined) return undefined;
  return {
    async ask(what) {
      const response = await host
        .fetch('http://host/editor', {
          method: what === 'install' ? 'PUT' : 'GET',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        .catch(() => undefined);
      const answer = HostEditor.safeParse(
        response?.ok === true ? await response.json() : undefined,
      );
      return answer.data ?? { state: 'failed', reason: 'the host does not answer' };
    },
  };
}
