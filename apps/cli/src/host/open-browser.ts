import { spawn } from 'node:child_process';

/** Opens the page where there is somebody to see it: a terminal and a desktop. Failing to do so is no failure. */
export function openInBrowser(url: string): void {
  const hasDesktop = process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined;
  if (!process.stdout.isTTY || process.env.CI !== undefined || !hasDesktop) return;
  const opener = spawn('xdg-open', [url], { stdio: 'ignore', detached: true });
  opener.on('error', () => process.stdout.write(`ship: open ${url} in your browser\n`));
  opener.unref();
}
