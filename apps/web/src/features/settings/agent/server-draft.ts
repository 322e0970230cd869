import { AgentServer } from '@ship/protocol';
import { problemsOf } from './form-frame.tsx';
import { readCommand, readPairs, writeCommand, writePairs } from './server-text.ts';

/** The form's text for a server of either kind. */
export interface ServerDraft {
  readonly kind: AgentServer['kind'];
  readonly name: string;
  readonly command: string;
  readonly url: string;
  /** Variables of a local server, or headers of a remote one. */
  readonly pairs: string;
}

export const draftOf = (server: AgentServer | null): ServerDraft => ({
  kind: server?.kind ?? 'local',
  name: server?.name ?? '',
  command: server?.kind === 'local' ? writeCommand(server.command) : '',
  url: server?.kind === 'remote' ? server.url : '',
  pairs:
    server === null
      ? ''
      : server.kind === 'local'
        ? writePairs(server.env, '=')
        : writePairs(server.headers, ':'),
});

interface Validation {
  /** Null while there are problems. */
  readonly server: AgentServer | null;
  readonly problems: Readonly<Record<string, string>>;
}

export function validate(
  draft: ServerDraft,
  isEnabled: boolean,
  taken: readonly string[],
): Validation {
  const name = draft.name.trim();
  const isLocal = draft.kind === 'local';
  const command = readCommand(draft.command);
  const pairs = readPairs(draft.pairs, isLocal ? '=' : ':');
  const values = pairs.ok ? pairs.value : {};
  const parsed = AgentServer.safeParse(
    isLocal
      ? { kind: 'local', name, isEnabled, command: command.ok ? command.value : ['?'], env: values }
      : { kind: 'remote', name, isEnabled, url: draft.url.trim(), headers: values },
  );
  const { env, headers, ...rest } = problemsOf(parsed.error?.issues ?? [], name, taken);
  const pairsProblem = pairs.ok ? (env ?? headers) : pairs.problem;
  const problems = {
    ...rest,
    ...(isLocal && !command.ok && { command: command.problem }),
    ...(pairsProblem !== undefined && { pairs: pairsProblem }),
  };
  const isValid = Object.keys(problems).length === 0;
  return { server: isValid && parsed.success ? parsed.data : null, problems };
}
