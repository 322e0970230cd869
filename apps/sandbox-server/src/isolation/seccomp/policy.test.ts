import { describe, expect, it } from 'vitest';
import { ALLOW, KILL_PROCESS, failWith, unlessOneOf, when, type Instruction } from './bpf.ts';
import { FORBIDDEN, UNIMPLEMENTED, policy, seccompProgram } from './policy.ts';
import { AUDIT_ARCH, syscallNumber, type Architecture } from './syscalls.ts';

/** A small interpreter for the instructions that the assembler emits. */
function evaluate(
  program: readonly Instruction[],
  arch: number,
  number: number,
  args: number[] = [],
): number {
  let word = 0;
  const data = (offset: number) =>
    (offset === 0 ? number : offset === 4 ? arch : (args[(offset - 16) / 8] ?? 0)) >>> 0;
  for (let at = 0; at < program.length; at += 1) {
    const { code, jumpTrue, jumpFalse, value } = program[at] ?? {
      code: -1,
      jumpTrue: 0,
      jumpFalse: 0,
      value: 0,
    };
    if (code === 0x20) word = data(value);
    else if (code === 0x54) word = (word & value) >>> 0;
    else if (code === 0x06) return value >>> 0;
    else if (code === 0x15) at += word === value >>> 0 ? jumpTrue : jumpFalse;
    else if (code === 0x35) at += word >= value >>> 0 ? jumpTrue : jumpFalse;
    else if (code === 0x45) at += (word & value) !== 0 ? jumpTrue : jumpFalse;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('the program runs off its end');
}

describe.each<Architecture>(['x64', 'arm64'])('the filter on %s', (architecture) => {
  const program = policy(architecture);
  const run = (name: Parameters<typeof syscallNumber>[0], ...args: number[]) =>
    evaluate(program, AUDIT_ARCH[architecture], syscallNumber(name, architecture) ?? -1, args);

  it('refuses what it names and allows what it does not', () => {
    const forbidden = FORBIDDEN.filter((name) => syscallNumber(name, architecture) !== null);
    expect(new Set(forbidden.map((name) => run(name)))).toEqual(new Set([failWith(1)]));
    expect(new Set(UNIMPLEMENTED.map((name) => run(name)))).toEqual(new Set([failWith(38)]));
    const named = new Set(
      [...forbidden, ...UNIMPLEMENTED].map((name) => syscallNumber(name, architecture)),
    );
    const others = [0, 1, 2, 59, 63, 64, 202, 231, 281].filter((number) => !named.has(number));
    const answers = others.map((number) => evaluate(program, AUDIT_ARCH[architecture], number));
    expect(new Set(answers)).toEqual(new Set([ALLOW]));
  });

  it('allows threads and forks but no new namespaces', () => {
    expect(run('clone', 0x3d0f00)).toBe(ALLOW);
    expect(run('clone', 17)).toBe(ALLOW);
    for (const flag of [0x10000000, 0x20000, 0x40000000, 0x20000000, 0x08000000]) {
      expect(run('clone', flag | 17)).toBe(failWith(1));
      expect(run('unshare', flag)).toBe(failWith(1));
    }
    expect(run('unshare', 0x400)).toBe(ALLOW);
  });

  it('allows unix, internet and route sockets only', () => {
    for (const family of [1, 2, 10]) expect(run('socket', family, 1, 0)).toBe(ALLOW);
    expect(run('socket', 16, 3, 0)).toBe(ALLOW);
    expect(run('socket', 16, 3, 12)).toBe(failWith(97));
    for (const family of [17, 29, 38, 40, 44])
      expect(run('socket', family, 1, 0)).toBe(failWith(97));
  });

  it('refuses input injection into terminals and unusual personalities', () => {
    expect(run('ioctl', 0, 0x5412)).toBe(failWith(1));
    expect(run('ioctl', 0, 0x5413)).toBe(ALLOW);
    expect(run('personality', 0xffffffff)).toBe(ALLOW);
    expect(run('personality', 0x0400000)).toBe(failWith(1));
  });

  it('[SV11] lets fallocate free space but not allocate it', () => {
    for (const mode of [0, 1, 0x10, 0x11, 0x20, 0x40])
      expect(run('fallocate', 3, mode)).toBe(failWith(95));
    expect(run('fallocate', 3, 0x03)).toBe(ALLOW);
    expect(run('fallocate', 3, 0x08)).toBe(ALLOW);
  });

  it('kills calls of another architecture', () => {
    expect(evaluate(program, 0x40000003, 1)).toBe(KILL_PROCESS);
  });

  it('assembles to eight bytes per instruction', () => {
    expect(seccompProgram(architecture)).toHaveLength(program.length * 8);
  });
});

it('refuses the x32 twins of every call', () => {
  expect(evaluate(policy('x64'), AUDIT_ARCH.x64, 0x40000000 + 165)).toBe(failWith(38));
});

it('refuses jumps that do not fit into a byte', () => {
  const long = Array.from({ length: 300 }, () => ({
    code: 6,
    jumpTrue: 0,
    jumpFalse: 0,
    value: 0,
  }));
  expect(() => when('equal', 1, long)).toThrow('255');
  expect(() => unlessOneOf([1, 2], long)).toThrow('255');
});
