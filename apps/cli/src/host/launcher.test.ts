import { describe, expect, it } from 'vitest';
import { parseStat } from './launcher.ts';

describe('/proc/PID/stat', () => {
  it('reads parent, session and terminal for any command name', () => {
    const text = '42 (a) b (c)) S 7 42 40 34816 42 4194304 1 2 3';
    expect(parseStat(text)).toEqual({
      pid: 42,
      command: 'a) b (c)',
      parent: 7,
      session: 40,
      hasTerminal: true,
    });
  });

  it('recognizes a process without a terminal', () => {
    expect(parseStat('42 (npm start) S 7 42 40 0 -1 4194304')?.hasTerminal).toBe(false);
  });

  it('is undefined for invalid text', () => expect(parseStat('nonsense')).toBeUndefined());
});
