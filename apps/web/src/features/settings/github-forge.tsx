import type { ForgeCheck, ForgeCredential, GithubForgeInfo } from '@ship/protocol';
import { ShipFailure } from '@ship/protocol';
import { useState } from 'react';
import { loadForgesApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { formatAgo } from '../../ui/duration.ts';
import { FailureNote } from '../../ui/notice.tsx';
import { ToneGlyph } from '../../ui/tone.tsx';
import { useNow } from '../../ui/use-now.ts';
import { ForgeTokenForm } from './forge-token-form.tsx';

const CREDENTIAL_NAMES = {
  workspace: 'the token that was set here',
  environment: 'the token from the environment',
  app: 'the GitHub App from the environment',
} as const;

/** The source of the credential, its age and its login. */
function describe(used: ForgeCredential | undefined, nowMs: number): string {
  if (used === undefined) return 'No token: Ship can’t push to GitHub repositories.';
  if (used.source === 'environment') return 'Token from the environment';
  if (used.source === 'app') return 'GitHub App from the environment';
  const whose = used.login === null ? 'not checked yet' : `signs in as ${used.login}`;
  return `Token set here ${formatAgo(nowMs - used.setAt)} · ${whose}`;
}

function removalText(next: ForgeCredential | undefined): string {
  const then =
    next === undefined
      ? 'Sessions on GitHub repositories can’t continue until you set another one.'
      : `Ship then uses ${CREDENTIAL_NAMES[next.source]}.`;
  return `${then} The token stays valid on GitHub until you revoke it there.`;
}

interface GithubForgeProps {
  readonly forge: GithubForgeInfo;
  readonly onStored: (forge: GithubForgeInfo) => void;
  readonly onChanged: () => void;
}

/** The GitHub sign-in: its source, a check and the token form. */
export function GithubForge({ forge, onStored, onChanged }: GithubForgeProps) {
  const [isConfirming, setIsConfirming] = useState(false);
  const [checked, setChecked] = useState<ForgeCheck | null>(null);
  const nowMs = useNow();
  const [used, next] = forge.credentials;
  const check = useAction(async () => (await loadForgesApi()).checkForge(), {
    showsErrorInline: true,
    onDone: (answer) => {
      setChecked(answer);
      onChanged();
    },
  });
  const remove = useAction(async () => (await loadForgesApi()).removeForgeToken(), {
    onDone: () => {
      setChecked(null);
      check.reset();
      onChanged();
    },
  });
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="font-medium">
            GitHub{' '}
            <span className="font-mono text-xs font-normal text-muted">
              {new URL(forge.url).host}
            </span>
          </p>
          <p className="text-sm text-pretty text-muted">
            {describe(used, nowMs)}
            {next !== undefined && `; overrides ${CREDENTIAL_NAMES[next.source]}`}
          </p>
        </div>
        <div className="flex gap-2 empty:hidden">
          {used !== undefined && (
            <Button
              aria-label="Check GitHub"
              disabled={check.isPending}
              onClick={() => check.mutate(undefined)}
            >
              {check.isPending ? 'Checking…' : 'Check'}
            </Button>
          )}
          {used?.source === 'workspace' && (
            <Button aria-label="Remove the token" onClick={() => setIsConfirming(true)}>
              Remove
            </Button>
          )}
        </div>
      </div>
      <div role="status" className="empty:hidden">
        {checked?.state === 'accepted' && (
          <p className="flex items-center gap-2 text-sm">
            <ToneGlyph tone="ok" /> GitHub accepts the token: Ship signs in as {checked.login}.
          </p>
        )}
      </div>
      {checked !== null && checked.state !== 'accepted' && (
        <FailureNote cause={new ShipFailure(checked.error)} />
      )}
      {check.error !== null && <FailureNote cause={check.error} />}
      <ForgeTokenForm
        url={forge.url}
        isReplacing={used?.source === 'workspace'}
        onSaved={({ forge: saved, check: answer }) => {
          check.reset();
          setChecked(answer);
          onStored(saved);
        }}
      />
      {isConfirming && (
        <Confirm
          title="Remove the token?"
          text={removalText(next)}
          action="Remove"
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setIsConfirming(false)}
        />
      )}
    </div>
  );
}
