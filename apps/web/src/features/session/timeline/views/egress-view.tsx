import { entryFor, withEntry } from '@ship/core';
import type { Settings } from '@ship/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Globe } from 'lucide-react';
import { loadApi, loadSandboxApi } from '../../../../api/load.ts';
import { settingsQuery } from '../../../../data/queries.ts';
import { useAction } from '../../../../data/use-action.ts';
import { Button } from '../../../../ui/button.tsx';
import { useSession } from '../../session-context.ts';
import { newest } from '../items.ts';
import { NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

const reasons: Readonly<Record<string, string>> = {
  'not-listed': 'It is not on the allow-list.',
  'sandbox-deny': 'It is not on the allow-list.',
  'server-name': 'Its TLS server name is not on the allow-list.',
  'owner-deny': 'The owner of this machine denies it.',
  port: 'Sandboxes reach ports 80 and 443 only.',
  unresolvable: 'Its name could not be resolved.',
  'encrypted-name': 'The program encrypted the server name (ECH).',
};

/** A refused host with a button that allows it. */
export function EgressRefusedView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'egress.refused') return null;
  const { host, serverName = host, rule, address } = event.data;
  const entry = entryFor(event.data);
  return (
    <NoticeCard
      tone="ask"
      title={
        <>
          Ship refused <span className="font-mono">{serverName}</span>
        </>
      }
      actions={entry !== undefined && <AllowHost entry={entry} host={serverName} />}
    >
      {address === undefined
        ? (reasons[rule] ?? 'The network rules refuse it.')
        : `It is at ${address}, a private, local or reserved address.`}{' '}
      <span className="text-xs">Rule: {rule}</span>
    </NoticeCard>
  );
}

function AllowHost({ entry, host }: { readonly entry: string; readonly host: string }) {
  const { state } = useSession();
  const client = useQueryClient();
  const { data: settings } = useQuery(settingsQuery);
  const allow = useAction(
    async () => {
      const [api, sandboxApi] = await Promise.all([loadApi(), loadSandboxApi()]);
      const { egress }: Settings = await client.fetchQuery(settingsQuery);
      const saved = await api.patchSettings({
        egress: { allow: withEntry(egress.allow, entry) },
      });
      await sandboxApi.applyNetwork(state.sessionId);
      return saved;
    },
    { onDone: (saved) => client.setQueryData(settingsQuery.queryKey, saved) },
  );
  if (settings?.egress.allow.includes(entry) === true)
    return <p className="text-sm text-muted">Allowed. Retry, or ask the agent to continue.</p>;
  return (
    <Button
      variant="primary"
      title={`Adds ${entry} to Settings → Network`}
      disabled={allow.isPending}
      onClick={() => allow.mutate(undefined)}
    >
      <Globe aria-hidden /> Allow {host}
    </Button>
  );
}
