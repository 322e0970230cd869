import { CommanderError } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { reportUsage } from './failure.ts';

const written = (code: number, json: boolean) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const message = "error: unknown option '--nonsense'";
    const exitCode = reportUsage(new CommanderError(code, 'commander.x', message), json);
    return { exitCode, out: write.mock.calls.map(([text]) => String(text)).join('') };
  } finally {
    write.mockRestore();
  }
};

describe('a usage error', () => {
  it('[RN5] is JSON with --json, and has exit code 2', () => {
    const { exitCode, out } = written(1, true);
    expect(exitCode).toBe(2);
    expect(JSON.parse(out)).toEqual({
      error: { message: "unknown option '--nonsense'", remedy: 'ship --help lists all commands.' },
    });
  });

  it('[RN5] prints nothing on stdout otherwise, and help is not an error', () => {
    expect(written(1, false)).toEqual({ exitCode: 2, out: '' });
    expect(written(0, true)).toEqual({ exitCode: 0, out: '' });
  });
});
