import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, lazy, useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../features/commands/use-shortcuts.ts';
import { useAttention } from '../features/notifications/use-attention.ts';
import { isSignedOut, meQuery } from '../features/sign-in/me.ts';
import { LostBanner } from '../features/system/lost-banner.tsx';
import { Toaster } from '../ui/toaster.tsx';
import { Sidebar } from './sidebar.tsx';
import { useCommands } from './use-commands.ts';
import type { OpenDialog } from './use-commands.ts';

const loadPalette = () => import('../features/commands/palette.tsx');
const loadShortcuts = () => import('../features/commands/shortcuts-dialog.tsx');
const Palette = lazy(loadPalette);
const ShortcutsDialog = lazy(loadShortcuts);

/** Prefetches the dialogs when the page is idle: letters typed right after Ctrl-K must not be lost to a download. */
function usePrefetchedDialogs() {
  useEffect(() => {
    const preload = () => void Promise.allSettled([loadPalette(), loadShortcuts()]);
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(preload, 500);
      return () => clearTimeout(timer);
    }
    const handle = window.requestIdleCallback(preload, { timeout: 2000 });
    return () => window.cancelIdleCallback(handle);
  }, []);
}

/** After a navigation, keyboard and screen reader continue in the new page, not at the old link. */
function useFocusOnNavigation() {
  const mainRef = useRef<HTMLElement>(null);
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return;
        const main = mainRef.current;
        // Do not take the focus from a page that set it itself.
        if (main !== null && !main.contains(document.activeElement)) main.focus();
        main?.scrollTo(0, 0);
      }),
    [router],
  );
  return mainRef;
}

/** Loads schemas and opens the socket after the first paint, and only if this browser is signed in. */
function useLiveLists() {
  const client = useQueryClient();
  const { isPending, error } = useQuery(meQuery);
  // Without a sign-in the server would refuse the connection.
  const isSignedIn = !isPending && !isSignedOut(error);
  useEffect(() => {
    if (!isSignedIn) return undefined;
    let stop: (() => void) | undefined;
    let isUnmounted = false;
    const start = async () => {
      const { keepListsLive } = await import('../live/follow.ts');
      if (!isUnmounted) stop = keepListsLive(client);
    };
    void start();
    return () => {
      isUnmounted = true;
      stop?.();
    };
  }, [client, isSignedIn]);
}

export function Frame() {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const commands = useCommands(setDialog);
  const mainRef = useFocusOnNavigation();
  useShortcuts(commands);
  usePrefetchedDialogs();
  useLiveLists();
  useAttention();
  const close = () => setDialog(null);
  return (
    <>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-brand px-3 py-2 text-sm font-medium text-white focus:translate-y-0"
      >
        Skip to content
      </a>
      <div className="min-h-dvh md:grid md:grid-cols-[14rem_minmax(0,1fr)]">
        <Sidebar onSearch={() => setDialog('palette')} onShortcuts={() => setDialog('shortcuts')} />
        <main
          ref={mainRef}
          id="main"
          tabIndex={-1}
          className="flex min-w-0 flex-col outline-none max-md:pb-20 md:h-dvh md:overflow-y-auto"
        >
          <LostBanner />
          <Outlet />
        </main>
      </div>
      <Toaster />
      <Suspense>
        {dialog === 'palette' && (
          <Palette commands={commands.filter(({ id }) => id !== 'palette')} onClose={close} />
        )}
        {dialog === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      </Suspense>
    </>
  );
}
