import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { terminalColours } from './colours.ts';
import { withConstructedStyles } from './inline-styles.ts';

const fontFamily = '"Geist Mono Variable", ui-monospace, monospace';
const fontSizePx = 13;
const scrollbackLines = 5_000;

export interface Screen {
  readonly terminal: Terminal;
  /** Takes the size of the place where it is; nothing while that is out of sight. */
  readonly fit: () => void;
  readonly dispose: () => void;
}

/** xterm.js in a place of the page: its theme follows the page's, and its text is drawn by the GPU where there is one. */
export function openScreen(place: HTMLElement, onLeave: () => void): Screen {
  const terminal = new Terminal({
    fontFamily,
    fontSize: fontSizePx,
    lineHeight: 1.2,
    scrollback: scrollbackLines,
    // Drawn by the page, a cursor that blinks costs sixty drawings a second, and every echo waits for the next of them.
    cursorBlink: false,
    minimumContrastRatio: 4.5,
    theme: terminalColours(),
  });
  const fitting = new FitAddon();
  terminal.loadAddon(fitting);
  withConstructedStyles(() => terminal.open(place));
  terminal.attachCustomKeyEventHandler((event) => handleKey(terminal, event, onLeave));
  if (hasGpu()) void drawWithGpu(terminal);
  const theme = new MutationObserver(() => {
    terminal.options.theme = terminalColours();
  });
  theme.observe(document.documentElement, { attributeFilter: ['class'] });
  return {
    terminal,
    fit: () => {
      if (place.clientWidth > 0 && place.clientHeight > 0) fitting.fit();
    },
    dispose: () => {
      theme.disconnect();
      terminal.dispose();
    },
  };
}

/** WebGL that a processor has to draw is slower than none. */
function hasGpu(): boolean {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  const info = context?.getExtension('WEBGL_debug_renderer_info') ?? null;
  // Some browsers name the program that draws in the GPU's place, and do not count it as slow.
  const renderer: unknown =
    info === null ? '' : context?.getParameter(info.UNMASKED_RENDERER_WEBGL);
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null && !/swiftshader|llvmpipe|software|basic render/i.test(String(renderer));
}

async function drawWithGpu(terminal: Terminal): Promise<void> {
  const { WebglAddon } = await import('@xterm/addon-webgl');
  try {
    const addon = new WebglAddon();
    // A GPU that is taken away leaves a blank screen: the page draws the text itself from then on.
    addon.onContextLoss(() => withConstructedStyles(() => addon.dispose()));
    terminal.loadAddon(addon);
  } catch {
    // Drawn by the page itself, as before.
  }
}

/** False keeps xterm.js away from a key. */
function handleKey(terminal: Terminal, event: KeyboardEvent, onLeave: () => void): boolean {
  if (event.type !== 'keydown') return true;
  // Everything else belongs to the shell, so there must be one way out by keyboard.
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
  // The browser pastes into the field that xterm.js listens to.
  return key !== 'v';
}
