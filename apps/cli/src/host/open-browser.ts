import { spawn } from 'node:child_process';
import { handOver } from './link-handover.ts';

/**
 * Opens a link where there is somebody to see it: a terminal and a desktop. Failing to do so is no failure: the link was
 * printed. Resolves when the browser has it.
 */
export async function openInBrowser(link: string): Promise<void> {
  const hasDesktop = process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined;
  if (!process.stdout.isTTY || process.env.CI !== undefined || !hasDesktop) return;
  const handover = await handOver(link).catch(() => undefined);
  if (handover === undefined) return;
  const opener = spawn('xdg-open', [handover.url], { stdio: 'ignore', detached: true });
  opener.on('error', () => {
    handover.close();
    process.stdout.write('ship: open the link above in your browser\n');
  });
  opener.unref();
  await handover.done;
}
