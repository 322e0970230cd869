import { spawn } from 'node:child_process';
import { startRedirect } from './link-redirect.ts';

/**
 * Opens a link in a browser if there is a terminal and a desktop. Errors are ignored, as the link was printed. Resolves when the
 * browser has the link.
 */
export async function openInBrowser(link: string): Promise<void> {
  const hasDesktop = process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined;
  if (!process.stdout.isTTY || process.env.CI !== undefined || !hasDesktop) return;
  const redirect = await startRedirect(link).catch(() => undefined);
  if (redirect === undefined) return;
  const opener = spawn('xdg-open', [redirect.url], { stdio: 'ignore', detached: true });
  opener.on('error', () => {
    redirect.close();
    process.stdout.write('ship: open the link above in your browser\n');
  });
  opener.unref();
  await redirect.done;
}
