import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ModelList, ProviderInfo } from '@ship/protocol';
import { Cpu, KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { loadModelsApi } from '../../api/load.ts';
import { modelsQuery, providersQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { formatCount } from '../../ui/format.ts';
import { Empty, FailureNote } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ProviderForm } from './provider-form.tsx';
import { protocolLabels } from './provider-presets.ts';

const sources = {
  environment: 'from the environment',
  file: 'from models.json',
  workspace: 'set here',
} as const;

/** Providers with their keys, and the available models. */
export function ModelsSection() {
  const client = useQueryClient();
  const providers = useQuery(providersQuery);
  const models = useQuery(modelsQuery);
  const [editing, setEditing] = useState<string | null>(null);
  const reload = () => {
    setEditing(null);
    void client.invalidateQueries({ queryKey: providersQuery.queryKey });
    void client.invalidateQueries({ queryKey: modelsQuery.queryKey });
  };
  if (providers.data === undefined)
    return providers.error === null ? (
      <Skeleton className="h-32 rounded-xl" />
    ) : (
      <FailureNote cause={providers.error} onRetry={() => void providers.refetch()} />
    );
  return (
    <>
      <Card aria-labelledby="providers">
        <div className="px-4 py-3">
          <h2 id="providers" className="font-medium">
            Providers
          </h2>
          <p className="text-sm text-pretty text-muted">
            Keys stay here. Sandboxes reach models only through Ship, which tracks and limits
            spending.
          </p>
        </div>
        <ul className="divide-y divide-line border-y border-line">
          {providers.data.providers.map((provider) => (
            <li key={provider.providerId} className="px-4 py-3">
              {editing === provider.providerId ? (
                <ProviderForm
                  provider={provider}
                  onSaved={reload}
                  onCancel={() => setEditing(null)}
                />
              ) : (
                <ProviderRow
                  provider={provider}
                  unavailable={models.data?.unavailable}
                  onEdit={() => setEditing(provider.providerId)}
                  onChanged={reload}
                />
              )}
            </li>
          ))}
        </ul>
        <div className="p-4">
          {editing === '' ? (
            <ProviderForm provider={null} onSaved={reload} onCancel={() => setEditing(null)} />
          ) : (
            <Button onClick={() => setEditing('')}>
              <Plus aria-hidden /> Add a provider
            </Button>
          )}
        </div>
      </Card>
      {models.error !== null && models.data === undefined && (
        <FailureNote cause={models.error} onRetry={() => void models.refetch()} />
      )}
      {models.data !== undefined && <ModelTable models={models.data.models} />}
    </>
  );
}

interface ProviderRowProps {
  readonly provider: ProviderInfo;
  readonly unavailable: ModelList['unavailable'] | undefined;
  readonly onEdit: () => void;
  readonly onChanged: () => void;
}

function ProviderRow({ provider, unavailable, onEdit, onChanged }: ProviderRowProps) {
  const [isConfirming, setIsConfirming] = useState(false);
  const { providerId, name, protocol, baseUrl, hasKey, source, isDemo } = provider;
  const problem = unavailable?.find((one) => one.providerId === providerId)?.error;
  const remove = useAction(async () => (await loadModelsApi()).removeProvider(providerId), {
    onDone: onChanged,
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1">
          <p className="font-medium">
            {name}
            {isDemo && <span className="font-normal text-muted"> · scripted</span>}
          </p>
          <p className="truncate text-sm text-muted">
            {protocolLabels[protocol]} · <span className="font-mono text-xs">{baseUrl}</span> ·{' '}
            {sources[source]}
          </p>
        </div>
        {hasKey && (
          <span className="inline-flex items-center gap-1 text-xs text-muted">
            <KeyRound aria-hidden className="size-3.5" /> key stored
          </span>
        )}
        {source === 'workspace' && (
          <>
            <Button aria-label={`Change ${name}`} onClick={onEdit}>
              Change
            </Button>
            <Button aria-label={`Remove ${name}`} onClick={() => setIsConfirming(true)}>
              Remove
            </Button>
          </>
        )}
      </div>
      {problem !== undefined && (
        <p className="mt-1 text-sm text-warn">
          {problem.message} {problem.remedy}
        </p>
      )}
      {isConfirming && (
        <Confirm
          title={`Remove ${name}?`}
          text="This deletes its key. Sessions can no longer use its models."
          action="Remove"
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setIsConfirming(false)}
        />
      )}
    </>
  );
}

function ModelTable({ models }: { readonly models: ModelList['models'] }) {
  if (models.length === 0)
    return (
      <Empty icon={Cpu} title="No models available yet">
        Add a provider with its key. A local server, such as Ollama, needs no key.
      </Empty>
    );
  return (
    <Card aria-label="Models" className="overflow-x-auto">
      <table className="w-full text-sm">
        <caption className="px-4 pt-4 pb-2 text-left font-medium">Models</caption>
        <thead className="text-xs text-faint">
          <tr>
            {['Model', 'Context', 'Input', 'Output'].map((label, index) => (
              <th
                key={label}
                scope="col"
                className={`px-4 py-1 font-medium ${index === 0 ? 'text-left' : 'text-right'}`}
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map(({ ref, name, contextTokens, price, isDefault }) => (
            <tr key={ref} className="border-t border-line">
              <th scope="row" className="px-4 py-2 text-left font-normal">
                {name}
                {isDefault && <span className="text-muted"> · default</span>}
                <span className="block font-mono text-xs text-muted">{ref}</span>
              </th>
              <td className="px-4 text-right text-muted tabular-nums">
                {contextTokens === null ? 'unknown' : formatCount(contextTokens)}
              </td>
              <td className="px-4 text-right tabular-nums">
                {price === null ? 'unknown' : `$${price.input}`}
              </td>
              <td className="px-4 text-right tabular-nums">
                {price === null ? 'unknown' : `$${price.output}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Prices in USD per million tokens.
      </p>
    </Card>
  );
}
