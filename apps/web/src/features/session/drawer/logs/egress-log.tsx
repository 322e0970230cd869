import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Contact, SessionId } from '@ship/protocol';
import { Globe } from 'lucide-react';
import { loadSandboxApi } from '../../../../api/load.ts';
import { formatBytes } from '../../../../ui/format.ts';
import { Empty, FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { ToneGlyph } from '../../../../ui/tone.tsx';

const pollIntervalMs = 5000;

interface EgressLogProps {
  readonly sessionId: SessionId;
  readonly isShown: boolean;
}

/** Every host that the sandbox contacted or was refused, with a link to allow it. */
export function EgressLog({ sessionId, isShown }: EgressLogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['contacts', sessionId],
    queryFn: async ({ signal }) => (await loadSandboxApi()).listContacts(sessionId, signal),
    enabled: isShown,
    refetchInterval: pollIntervalMs,
  });
  if (data === undefined)
    return error === null ? (
      <Skeleton className="m-3 h-24 rounded-lg" />
    ) : (
      <FailureNote cause={error} onRetry={() => void refetch()} className="m-3" />
    );
  const { isKept, contacts, unnamed } = data;
  const unrecorded = unnamed.allow + unnamed.deny;
  return (
    <div className="min-h-0 flex-1 space-y-3 overflow-y-auto p-3">
      {contacts.length === 0 && (
        <Empty icon={Globe} title={isKept ? 'No hosts contacted' : 'No network log'}>
          {isKept
            ? 'Models and git go through Ship. Every other host that the sandbox contacts appears here, refused ones too.'
            : 'The log is deleted with its sandbox; E2B sandboxes have none.'}
        </Empty>
      )}
      {contacts.length > 0 && <HostTable contacts={contacts} />}
      {unrecorded > 0 && (
        <p className="text-sm text-muted">And {unrecorded} more that were not recorded.</p>
      )}
    </div>
  );
}

const head = 'px-3 py-1.5 text-left font-normal';
const numbers = 'px-3 py-1.5 text-right whitespace-nowrap text-muted tabular-nums';

const HostTable = ({ contacts }: { readonly contacts: readonly Contact[] }) => (
  <div
    role="region"
    aria-label="Contacted hosts"
    tabIndex={0}
    className="overflow-x-auto rounded-lg border border-line"
  >
    <table className="w-full text-sm">
      <thead className="text-xs text-muted">
        <tr>
          <th className={head}>Host</th>
          <th className={`${head} text-right`}>Out / in</th>
          <th className={`${head} text-right`}>Last</th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line border-t border-line">
        {contacts.map((contact) => (
          <tr
            key={`${contact.verdict} ${contact.host}:${contact.port} ${contact.serverName ?? ''}`}
          >
            <td className="px-3 py-1.5">
              <Host contact={contact} />
            </td>
            <td className={numbers}>
              {formatBytes(contact.bytesOut)} / {formatBytes(contact.bytesIn)}
            </td>
            <td className={numbers}>
              <time dateTime={new Date(contact.lastSeenAt).toISOString()}>
                {new Date(contact.lastSeenAt).toLocaleTimeString()}
              </time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Refusals that an allow-list entry cannot change. */
const notAllowable = new Set(['tunnel-port', 'tls-only', 'no-server-name', 'encrypted-name']);

function Host({
  contact: { host, port, serverName, verdict, rule, connections },
}: {
  readonly contact: Contact;
}) {
  const isAllowed = verdict === 'allow';
  const named = serverName ?? host;
  return (
    <div className="flex min-w-0 items-start gap-2">
      <ToneGlyph tone={isAllowed ? 'ok' : 'bad'} className="mt-0.5" />
      <div className="min-w-0">
        <p className="font-mono text-xs leading-5 break-all">
          {host}
          {port === 443 || port === 80 ? '' : `:${port}`}
          {serverName !== undefined && (
            <span className="text-muted" title="TLS server name">
              {' as '}
              {serverName}
            </span>
          )}
        </p>
        <p className="text-xs text-muted">
          {isAllowed ? 'Allowed' : 'Refused'} · {connections}×
          {!isAllowed && !notAllowable.has(rule) && (
            <>
              {' · '}
              <Link
                to="/settings/network"
                search={{ allow: named }}
                aria-label={`Allow ${named}`}
                className="text-accent underline-offset-2 hover:underline"
              >
                Allow this host
              </Link>
            </>
          )}
        </p>
      </div>
    </div>
  );
}
