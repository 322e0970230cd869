import '@xterm/xterm/css/xterm.css';
import { Ear, Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { FailureNote } from '../../../../ui/notice.tsx';
import { createPreference, usePreference } from '../../../../ui/preference.ts';
import type { PaneProps } from '../panes.ts';
import { SandboxUnavailable } from '../sandbox-unavailable.tsx';
import { labelOf } from './tabs.ts';
import { TerminalView } from './terminal-view.tsx';
import { useTabs } from './use-tabs.ts';

const readAloudPreference = createPreference<'on' | 'off'>(
  'ship.terminal-read-aloud',
  ['on', 'off'],
  'off',
);

/** Shells in the sandbox. They keep running while the pane is closed, and reopen with their output. */
export default function TerminalPane({ feed, isShown }: PaneProps) {
  const { sessionId, sandbox } = feed.state;
  const isUnavailable = sandbox.status !== 'running';
  const tabs = useTabs(sessionId, !isUnavailable);
  const isReadAloud = usePreference(readAloudPreference) === 'on';
  const bar = useRef<HTMLDivElement>(null);
  const leave = () => bar.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  return (
    <>
      <div className="flex shrink-0 items-center gap-1 border-b border-line px-2 py-1">
        <div
          ref={bar}
          role="tablist"
          aria-label="Terminals"
          className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto"
        >
          {tabs.names.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-terminal-${name}`}
              aria-selected={name === tabs.active}
              aria-controls={`terminal-${name}`}
              onClick={() => tabs.show(name)}
              className="h-7 shrink-0 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-ink aria-selected:bg-hover aria-selected:text-ink"
            >
              {labelOf(name)}
            </button>
          ))}
        </div>
        <Button
          variant="ghost"
          size="icon"
          aria-label="New terminal"
          title="New terminal"
          disabled={tabs.names.length === 0}
          onClick={tabs.add}
        >
          <Plus aria-hidden />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Close this terminal"
          title="Close this tab and its shell"
          disabled={tabs.active === null}
          onClick={() => tabs.active !== null && tabs.close(tabs.active)}
        >
          <X aria-hidden />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Announce output to screen readers"
          title="For screen readers. Press Shift+Escape to leave the terminal."
          aria-pressed={isReadAloud}
          className="aria-pressed:bg-hover aria-pressed:text-ink"
          onClick={() => readAloudPreference.set(isReadAloud ? 'off' : 'on')}
        >
          <Ear aria-hidden />
        </Button>
      </div>
      {isUnavailable && <SandboxUnavailable sandbox={sandbox} />}
      {tabs.error !== null && tabs.names.length === 0 && !isUnavailable && (
        <FailureNote cause={tabs.error} onRetry={tabs.refetch} className="m-3" />
      )}
      {tabs.names.length === 0 && tabs.isFetching && (
        <p role="status" className="p-4 text-sm text-muted">
          Looking for shells…
        </p>
      )}
      {tabs.names.map((name) => (
        <div
          key={name}
          role="tabpanel"
          id={`terminal-${name}`}
          aria-labelledby={`tab-terminal-${name}`}
          hidden={name !== tabs.active}
          className="min-h-0 flex-1 not-[[hidden]]:flex"
        >
          <TerminalView
            sessionId={sessionId}
            name={name}
            isShown={isShown && name === tabs.active}
            isUnavailable={isUnavailable}
            isReadAloud={isReadAloud}
            onLeave={leave}
          />
        </div>
      ))}
    </>
  );
}
