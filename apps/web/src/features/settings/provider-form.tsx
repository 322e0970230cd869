import { ModelProtocol } from '@ship/protocol';
import type { ProviderInfo } from '@ship/protocol';
import { useState } from 'react';
import { loadModelsApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select, TextInput } from '../../ui/field.tsx';
import { FailureNote } from '../../ui/notice.tsx';
import { presets, protocolLabels } from './provider-presets.ts';

interface ProviderFormProps {
  /** Null to add one. */
  readonly provider: ProviderInfo | null;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}

/** The key is write-only; an empty field keeps the stored one. */
export function ProviderForm({ provider, onSaved, onCancel }: ProviderFormProps) {
  const [providerId, setProviderId] = useState(provider?.providerId ?? 'anthropic');
  const [protocol, setProtocol] = useState<ModelProtocol>(
    provider?.protocol ?? 'anthropic-messages',
  );
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? 'https://api.anthropic.com/v1');
  const [key, setKey] = useState('');
  const save = useAction(
    async () =>
      (await loadModelsApi()).writeProvider(providerId.trim(), {
        protocol,
        baseUrl: baseUrl.trim(),
        name: provider?.name ?? null,
        models: provider?.models ?? {},
        ...(key !== '' && { key }),
      }),
    { showsErrorInline: true, onDone: onSaved },
  );
  const usePreset = (label: string) => {
    const preset = presets.find((one) => one.label === label);
    if (preset === undefined) return;
    setProviderId(preset.providerId);
    setProtocol(preset.protocol);
    setBaseUrl(preset.baseUrl);
  };
  return (
    <form
      aria-label={provider === null ? 'Add a provider' : `Change ${provider.name}`}
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      {provider === null && (
        <Field label="Provider">
          {(control) => (
            <Select {...control} onChange={(event) => usePreset(event.target.value)}>
              {presets.map(({ label }) => (
                <option key={label}>{label}</option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {provider === null && (
          <Field label="Id" hint="Prefix of its model names.">
            {(control) => (
              <TextInput
                {...control}
                required
                pattern="[a-z0-9][a-z0-9-]*"
                value={providerId}
                spellCheck={false}
                className="font-mono"
                onChange={(event) => setProviderId(event.target.value)}
              />
            )}
          </Field>
        )}
        <Field label="Protocol">
          {(control) => (
            <Select
              {...control}
              value={protocol}
              onChange={(event) => {
                const parsed = ModelProtocol.safeParse(event.target.value);
                if (parsed.success) setProtocol(parsed.data);
              }}
            >
              {Object.entries(protocolLabels).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Address">
          {(control) => (
            <TextInput
              {...control}
              required
              type="url"
              value={baseUrl}
              spellCheck={false}
              className="font-mono"
              onChange={(event) => setBaseUrl(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Key"
          hint={
            provider?.hasKey === true
              ? 'A key is stored. Leave empty to keep it.'
              : 'Encrypted at rest, never shown, never in a sandbox.'
          }
        >
          {(control) => (
            <TextInput
              {...control}
              type="password"
              autoComplete="new-password"
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
      </div>
      {save.error !== null && <FailureNote cause={save.error} />}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" disabled={save.isPending}>
          {provider === null ? 'Add provider' : 'Save'}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
