import type { SessionId } from '@ship/protocol';
import { useEffect, useRef, useState } from 'react';
import { linkTerminal } from './link.ts';
import type { LinkView } from './link.ts';
import { openScreen } from './screen.ts';
import type { Screen } from './screen.ts';

interface Given {
  readonly sessionId: SessionId;
  readonly name: string;
  readonly isShown: boolean;
  readonly isReadAloud: boolean;
  readonly onLeave: () => void;
}

/** One terminal with its shell, for the lifetime of its tab. `again` starts a new shell after the old one has ended. */
export function useTerminal({ sessionId, name, isShown, isReadAloud, onLeave }: Given) {
  const place = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(null);
  const leave = useRef(onLeave);
  const [view, setView] = useState<LinkView>({ status: 'connecting' });
  const [life, setLife] = useState(0);
  useEffect(() => {
    leave.current = onLeave;
  }, [onLeave]);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const opened = openScreen(element, () => leave.current());
    screen.current = opened;
    const { terminal } = opened;
    opened.fit();
    const link = linkTerminal({
      sessionId,
      name,
      drawing: {
        size: () => ({ cols: terminal.cols, rows: terminal.rows }),
        write: (bytes, onDrawn) => terminal.write(bytes, onDrawn),
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
    const hurry = () => link.hurry();
    addEventListener('online', hurry);
    // Measure again with the loaded font: column widths differ.
    const onFonts = () => opened.fit();
    document.fonts.addEventListener('loadingdone', onFonts);
    return () => {
      removeEventListener('online', hurry);
      document.fonts.removeEventListener('loadingdone', onFonts);
      sizes.disconnect();
      screen.current = null;
      link.close();
      opened.dispose();
    };
  }, [sessionId, name, life]);

  useEffect(() => {
    if (!isShown) return;
    screen.current?.fit();
    screen.current?.terminal.focus();
  }, [isShown, life]);

  useEffect(() => {
    const terminal = screen.current?.terminal;
    if (terminal !== undefined) terminal.options.screenReaderMode = isReadAloud;
  }, [isReadAloud, life]);

  return { place, view, again: () => setLife((before) => before + 1) };
}
