import type { SessionId } from '@ship/protocol';
import { useEffect, useRef, useState } from 'react';
import { connectTerminal } from './link.ts';
import type { LinkView } from './link.ts';
import { openScreen } from './screen.ts';
import type { Screen } from './screen.ts';

interface TerminalOptions {
  readonly sessionId: SessionId;
  readonly name: string;
  readonly isShown: boolean;
  readonly isReadAloud: boolean;
  readonly onLeave: () => void;
}

/** One terminal with its shell, for the lifetime of its tab. `again` starts a new shell after the old one has ended. */
export function useTerminal({ sessionId, name, isShown, isReadAloud, onLeave }: TerminalOptions) {
  const container = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(null);
  const leave = useRef(onLeave);
  const [view, setView] = useState<LinkView>({ status: 'connecting' });
  const [generation, setGeneration] = useState(0);
  useEffect(() => {
    leave.current = onLeave;
  }, [onLeave]);

  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const opened = openScreen(element, () => leave.current());
    screen.current = opened;
    const { terminal } = opened;
    opened.fit();
    const link = connectTerminal({
      sessionId,
      name,
      display: {
        size: () => ({ cols: terminal.cols, rows: terminal.rows }),
        write: (bytes, onRendered) => terminal.write(bytes, onRendered),
        reset: () => terminal.reset(),
      },
      onView: (next) => {
        terminal.options.disableStdin = next.status !== 'open';
        setView(next);
      },
    });
    terminal.onData((data) => link.type(data));
    terminal.onResize((size) => link.resize(size));
    const sizes = new ResizeObserver(() => opened.fit());
    sizes.observe(element);
    const reconnectNow = () => link.reconnectNow();
    addEventListener('online', reconnectNow);
    // Measure again with the loaded font: column widths differ.
    const onFonts = () => opened.fit();
    document.fonts.addEventListener('loadingdone', onFonts);
    return () => {
      removeEventListener('online', reconnectNow);
      document.fonts.removeEventListener('loadingdone', onFonts);
      sizes.disconnect();
      screen.current = null;
      link.close();
      opened.dispose();
    };
  }, [sessionId, name, generation]);

  useEffect(() => {
    if (!isShown) return;
    screen.current?.fit();
    screen.current?.terminal.focus();
  }, [isShown, generation]);

  useEffect(() => {
    const terminal = screen.current?.terminal;
    if (terminal !== undefined) terminal.options.screenReaderMode = isReadAloud;
  }, [isReadAloud, generation]);

  return { container, view, again: () => setGeneration((before) => before + 1) };
}
