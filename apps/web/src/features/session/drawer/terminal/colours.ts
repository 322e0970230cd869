import type { ITheme } from '@xterm/xterm';

const light = {
  black: '#15181e',
  red: '#b4232a',
  green: '#14713f',
  yellow: '#8a5200',
  blue: '#2a4fd0',
  magenta: '#8b2fa8',
  cyan: '#0b6a76',
  white: '#565f6d',
  brightBlack: '#646d7a',
  brightRed: '#c92f36',
  brightGreen: '#1b8a4e',
  brightYellow: '#a06200',
  brightBlue: '#3d62e4',
  brightMagenta: '#a13fc0',
  brightCyan: '#0f7f8d',
  brightWhite: '#15181e',
};

const dark = {
  black: '#373d47',
  red: '#ff8279',
  green: '#4fc58c',
  yellow: '#efb45e',
  blue: '#8ea7ff',
  magenta: '#d79bef',
  cyan: '#6fcfdd',
  white: '#eceef2',
  brightBlack: '#858e9c',
  brightRed: '#ffa29b',
  brightGreen: '#7bdcaa',
  brightYellow: '#f7cb8b',
  brightBlue: '#b3c4ff',
  brightMagenta: '#e6bdf7',
  brightCyan: '#9be2ec',
  brightWhite: '#ffffff',
};

/** The page's colours in the current theme. */
export function terminalColours(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const isDark = document.documentElement.classList.contains('dark');
  return {
    ...(isDark ? dark : light),
    background: token('canvas'),
    foreground: token('ink'),
    cursor: token('accent'),
    cursorAccent: token('canvas'),
    selectionBackground: token('accent-soft'),
    scrollbarSliderBackground: `${token('line-strong')}99`,
    scrollbarSliderHoverBackground: token('line-strong'),
    scrollbarSliderActiveBackground: token('faint'),
  };
}
