import { describe, expect, it } from 'vitest';
import { type Running, ship, until } from './ship.ts';

async function readyLine(running: Running): Promise<Record<string, string>> {
  return until('the JSON line', () => {
    if (running.process.exitCode !== null) throw new Error(running.output());
    const line = running
      .output()
      .split('\n')
      .find((text) => text.startsWith('{'));
    return line === undefined ? undefined : (JSON.parse(line) as Record<string, string>);
  });
}

describe('servers that run alone', { timeout: 60_000 }, () => {
  it('[SV3] demo-model serve prints its address and answers in OpenAI’s protocol', async () => {
    const running = ship(['demo-model', 'serve']);
    const { baseUrl } = await readyLine(running);
    const models = (await (await fetch(`${baseUrl}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toContain('demo');
    running.process.kill('SIGTERM');
    expect(await running.exited).toBe(0);
  });

  it('[SV3] a script that cannot be used is a message, not a stack trace', async () => {
    const running = ship(['demo-model', 'serve', '--script', '/no/such/script.json']);
    expect(await running.exited).toBe(1);
    expect(running.output()).toContain('/no/such/script.json');
    expect(running.output()).not.toContain('    at ');
  });
});
