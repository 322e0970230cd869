import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { loadSignInApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { CopyCommand } from '../../ui/copy-command.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Logo } from '../../ui/logo.tsx';
import { FailureNote } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { ThemeSwitch } from '../theme/theme-switch.tsx';
import { linkRefusal } from './link.ts';

/** The only page for browsers that are not signed in. It keeps the address, which opens after the sign-in. */
export function SignInPage() {
  const { data, error, refetch } = useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: async ({ signal }) => (await loadSignInApi()).readSignInWays(signal),
  });
  return (
    <main id="main" className="flex min-h-dvh flex-col">
      <Page title="Sign in" className="my-auto max-w-[26rem]!">
        <Logo className="mb-5 size-10" />
        <h1 className="text-xl font-semibold tracking-[-0.02em]">Sign in to Ship</h1>
        {error !== null && (
          <FailureNote cause={error} onRetry={() => void refetch()} className="mt-4" />
        )}
        {data?.ways.includes('token') === true && <TokenForm />}
        {data?.ways.includes('link') === true && <LinkNote />}
      </Page>
      <div className="flex justify-end p-3">
        <ThemeSwitch />
      </div>
    </main>
  );
}

const Text = ({ children }: { readonly children: ReactNode }) => (
  <p className="mt-1 text-pretty text-muted">{children}</p>
);

function TokenForm() {
  const client = useQueryClient();
  const [token, setToken] = useState('');
  const start = useAction(async () => (await loadSignInApi()).signIn(token.trim()), {
    showsErrorInline: true,
    // Refetch everything that was refused.
    onDone: () => void client.resetQueries(),
  });
  const isReady = token.trim() !== '' && !start.isPending;
  return (
    <>
      <Text>This is a team server. Your API token signs this browser in for 30 days.</Text>
      <form
        aria-label="Sign in"
        className="mt-5 space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) start.mutate(undefined);
        }}
      >
        <Field label="API token">
          {(control) => (
            <TextInput
              {...control}
              type="password"
              name="token"
              autoFocus
              autoComplete="current-password"
              spellCheck={false}
              maxLength={200}
              placeholder="ship_…"
              value={token}
              onChange={(event) => setToken(event.target.value)}
              className="font-mono"
            />
          )}
        </Field>
        {start.error !== null && <FailureNote cause={start.error} />}
        <Button type="submit" variant="primary" disabled={!isReady} className="w-full">
          {start.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
      <p className="mt-5 border-t border-line pt-4 text-sm text-pretty text-muted">
        No token? Ask a teammate to create one under Settings → API tokens. If you deployed this
        server, use its owner token.
      </p>
    </>
  );
}

/** On one machine, `ship open` proves access to the data folder and signs the browser in. */
function LinkNote() {
  const refusal = linkRefusal();
  return (
    <>
      <Text>
        Ship runs on this machine for one person. Open a sign-in link from the command line; this
        browser then stays signed in.
      </Text>
      {refusal !== undefined && <FailureNote cause={refusal} className="mt-4" />}
      <p className="mt-5 mb-1.5 text-sm font-medium">Run in the Ship folder</p>
      <CopyCommand command="npx --no-install ship open" />
      <p className="mt-5 border-t border-line pt-4 text-sm text-pretty text-muted">
        It opens this page or prints a link to open here. Each link works once, for 10 minutes.{' '}
        <code className="font-mono">npm start</code> prints one too.
      </p>
    </>
  );
}
