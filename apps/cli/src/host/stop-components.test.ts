import { describe, expect, it } from 'vitest';
import { stopComponents } from './stop-components.ts';

describe('stopComponents', () => {
  it('stops the others when one fails, and names the one that failed in one line', async () => {
    const stopped: string[] = [];
    const part = (name: string) => ({ name, stop: () => void stopped.push(name) });
    const problems = await stopComponents([
      part('forge'),
      {
        name: 'sandboxes',
        stop: () => Promise.reject(new Error('ENOENT: no such file\n    at x')),
      },
      {
        name: 'editor',
        stop: () => {
          throw new Error('gone');
        },
      },
      part('status'),
    ]);
    expect(stopped).toEqual(['forge', 'status']);
    expect(problems).toEqual([
      'sandboxes did not stop cleanly: ENOENT: no such file',
      'editor did not stop cleanly: gone',
    ]);
  });
});
