import type { AgentServer } from '@ship/protocol';
import { useState } from 'react';
import { Field, Select, TextArea, TextInput } from '../../../ui/field.tsx';
import { FormFrame } from './form-frame.tsx';
import { type ServerDraft, draftOf, validate } from './server-draft.ts';
import { put, useAgentSettings } from './use-agent-settings.ts';

interface ServerFormProps {
  /** Null to add one. */
  readonly server: AgentServer | null;
  /** Names of other servers. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

const SECRET_HINT =
  'Use {secret:NAME} for a secret. Its value goes into the sandbox, where the agent can read it.';

export function ServerForm({ server, taken, onClose }: ServerFormProps) {
  const [draft, setDraft] = useState<ServerDraft>(draftOf(server));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const save = useAgentSettings(onClose);
  const change = (part: Partial<ServerDraft>) => setDraft((before) => ({ ...before, ...part }));
  const validation = validate(draft, server?.isEnabled ?? true, taken);
  const problems = isSubmitted ? validation.problems : {};
  const isLocal = draft.kind === 'local';
  return (
    <FormFrame
      label={server === null ? 'Add a server' : `Change ${server.name}`}
      failure={save.error}
      isBusy={save.isPending}
      onCancel={onClose}
      onSubmit={() => {
        setIsSubmitted(true);
        const next = validation.server;
        if (next !== null)
          save.mutate(({ servers }) => ({ servers: put(servers, server?.name ?? null, next) }));
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" hint="Prefix of its tool names." problem={problems['name']}>
          {(control) => (
            <TextInput
              {...control}
              value={draft.name}
              spellCheck={false}
              autoComplete="off"
              className="font-mono"
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field label="Kind">
          {(control) => (
            <Select
              {...control}
              value={draft.kind}
              onChange={(event) =>
                change({ kind: event.target.value === 'remote' ? 'remote' : 'local', pairs: '' })
              }
            >
              <option value="local">A program in the sandbox</option>
              <option value="remote">An address on the network</option>
            </Select>
          )}
        </Field>
      </div>
      {isLocal ? (
        <Field
          label="Command"
          hint="Runs in the repository’s folder."
          problem={problems['command']}
        >
          {(control) => (
            <TextInput
              {...control}
              value={draft.command}
              placeholder="npx -y @acme/mcp-server"
              spellCheck={false}
              autoComplete="off"
              className="font-mono"
              onChange={(event) => change({ command: event.target.value })}
            />
          )}
        </Field>
      ) : (
        <Field
          label="Address"
          hint="Called from the sandbox; allow its host under Network."
          problem={problems['url']}
        >
          {(control) => (
            <TextInput
              {...control}
              type="url"
              value={draft.url}
              placeholder="https://mcp.example.com/mcp"
              spellCheck={false}
              autoComplete="off"
              className="font-mono"
              onChange={(event) => change({ url: event.target.value })}
            />
          )}
        </Field>
      )}
      <Field
        label={isLocal ? 'Variables' : 'Headers'}
        hint={SECRET_HINT}
        problem={problems['pairs']}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={3}
            value={draft.pairs}
            placeholder={
              isLocal ? 'API_KEY={secret:API_KEY}' : 'Authorization: Bearer {secret:API_KEY}'
            }
            spellCheck={false}
            className="font-mono"
            onChange={(event) => change({ pairs: event.target.value })}
          />
        )}
      </Field>
    </FormFrame>
  );
}
