import { isFree } from '../../host/port.ts';
import { readAnnouncement } from '../../host/data-folder.ts';
import type { Finding } from '../examine.ts';

export async function checkPort(port: number, dataFolder: string): Promise<Finding> {
  const check = `port ${port}`;
  if (await isFree(port)) return { check, verdict: 'pass', detail: 'free' };
  const running = readAnnouncement(dataFolder);
  if (running?.url.endsWith(`:${port}`))
    return { check, verdict: 'pass', detail: `Ship itself runs there (process ${running.pid})` };
  return {
    check,
    verdict: 'warn',
    detail: 'in use by another program',
    remedy: `Start on another port: npm start -- --port ${port + 1}`,
  };
}
