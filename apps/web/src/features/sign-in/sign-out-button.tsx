import { useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { loadSignInApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { meQuery } from './me.ts';

/** Shown only if the browser signed in. */
export function SignOutButton() {
  const { data: me } = useQuery(meQuery);
  const leave = useAction(async () => (await loadSignInApi()).signOut(), {
    // Reload the page, so that no data stays in memory.
    onDone: () => location.assign('/'),
  });
  if (me?.canSignOut !== true) return null;
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label="Sign out"
      title={`Sign out ${me.name}`}
      disabled={leave.isPending}
      onClick={() => leave.mutate(undefined)}
    >
      <LogOut aria-hidden />
    </Button>
  );
}
