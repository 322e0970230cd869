import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { terminalColours } from './colours.ts';
import { withConstructedStyles } from './inline-styles.ts';

const fontFamily = '"Geist Mono Variable", ui-monospace, monospace';
const fontSizePx = 13;
const scrollbackLines = 5_000;

export interface Screen {
  readonly terminal: Terminal;
  /** Fits the terminal to its container; does nothing while that is hidden. */
  readonly fit: () => void;
  readonly dispose: () => void;
}

/** Opens xterm.js in a container with the page's theme, rendered by the GPU if there is one. */
export function openScreen(container: HTMLElement, onLeave: () => void): Screen {
  const terminal = new Terminal({
    fontFamily,
    fontSize: fontSizePx,
    lineHeight: 1.2,
    scrollback: scrollbackLines,
    // With the DOM renderer, a blinking cursor causes 60 repaints a second and delays every echo.
    cursorBlink: false,
    minimumContrastRatio: 4.5,
    theme: terminalColours(),
  });
  const fitAddon = new FitAddon();
  terminal.loadAddon(fitAddon);
  withConstructedStyles(() => terminal.open(container));
  terminal.attachCustomKeyEventHandler((event) => handleKey(terminal, event, onLeave));
  if (hasGpu()) void drawWithGpu(terminal);
  const theme = new MutationObserver(() => {
    terminal.options.theme = terminalColours();
  });
  theme.observe(document.documentElement, { attributeFilter: ['class'] });
  return {
    terminal,
    fit: () => {
      if (container.clientWidth > 0 && container.clientHeight > 0) fitAddon.fit();
    },
    dispose: () => {
      theme.disconnect();
      terminal.dispose();
    },
  };
}

/** WebGL in software is slower than the DOM renderer. */
function hasGpu(): boolean {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  const info = context?.getExtension('WEBGL_debug_renderer_info') ?? null;
  // Some browsers report a software renderer by name without counting it as a major performance caveat.
  const renderer: unknown =
    info === null ? '' : context?.getParameter(info.UNMASKED_RENDERER_WEBGL);
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null && !/swiftshader|llvmpipe|software|basic render/i.test(String(renderer));
}

async function drawWithGpu(terminal: Terminal): Promise<void> {
  const { WebglAddon } = await import('@xterm/addon-webgl');
  try {
    const addon = new WebglAddon();
    // A lost GPU context leaves a blank screen: fall back to the DOM renderer.
    addon.onContextLoss(() => withConstructedStyles(() => addon.dispose()));
    terminal.loadAddon(addon);
  } catch {
    // Keep the DOM renderer.
  }
}

/** Returns false for keys that xterm.js must ignore. */
function handleKey(terminal: Terminal, event: KeyboardEvent, onLeave: () => void): boolean {
  if (event.type !== 'keydown') return true;
  // The shell gets all other keys, so one must leave the terminal by keyboard.
  if (event.key === 'Escape' && event.shiftKey) {
    event.preventDefault();
    onLeave();
    return false;
  }
  if (!event.ctrlKey || event.altKey || event.metaKey) return true;
  const key = event.key.toLowerCase();
  if (key === 'c' && terminal.hasSelection()) {
    void navigator.clipboard?.writeText(terminal.getSelection()).catch(() => undefined);
    terminal.clearSelection();
    event.preventDefault();
    return false;
  }
  // Let the browser paste into xterm.js's text field.
  return key !== 'v';
}
