import { describe, expect, it } from 'vitest';
import pkg from '../package.json' with { type: 'json' };
import { createProgram } from '../src/program.ts';
import { ship } from './ship.ts';

async function run(...args: string[]) {
  const running = ship(args);
  return { code: await running.exited, output: running.output() };
}

describe('ship', { timeout: 30_000 }, () => {
  it('[CL1] shows help for itself and for each verb', async () => {
    const { code, output } = await run('--help');
    expect(code).toBe(0);
    const { commands } = await createProgram();
    expect(commands.length).toBeGreaterThan(10);
    for (const verb of commands.flatMap((command) => [command, ...command.commands])) {
      expect(verb.description()).not.toBe('');
      for (const option of verb.options) expect(option.description).not.toBe('');
    }
    for (const verb of commands) expect(output).toContain(`  ${verb.name()}`);
    const help = await run('run', '--help');
    expect(help).toMatchObject({ code: 0, output: expect.stringContaining('--wait') });
  });

  it('[CL1] a called verb is registered without the others, and is the same as among them', async () => {
    const { commands } = await createProgram();
    for (const verb of commands) {
      const alone = (await createProgram(verb.name())).commands;
      const same = alone.find((command) => command.name() === verb.name());
      expect(same?.helpInformation()).toBe(verb.helpInformation());
    }
    expect((await createProgram('run')).commands).toHaveLength(1);
  });

  it('[CL1] prints its version', async () =>
    expect(await run('--version')).toEqual({ code: 0, output: `${pkg.version}\n` }));

  it.each([
    [['nonsense']],
    [['up', '--port', 'many']],
    [['up', '--port', '70000']],
    [['doctor', '--colour']],
  ])('[CL2] a usage error in %j ends with code 2, a hint and no stack trace', async (args) => {
    const { code, output } = await run(...args);
    expect(code).toBe(2);
    expect(output).toContain('ship --help');
    expect(output).not.toContain('    at ');
  });

  it('[CL3] doctor prints for people and for programs', async () => {
    const { output } = await run('doctor', '--json');
    const report = JSON.parse(output) as {
      ok: boolean;
      findings: { check: string; verdict: string }[];
    };
    expect(report.findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['Node', 'git', 'bwrap', 'rg', 'user namespaces', 'disk']),
    );
    const people = await run('doctor');
    expect(people.code).toBe(report.ok ? 0 : 1);
    expect(people.output).not.toContain('\u001b[');
  });
});
