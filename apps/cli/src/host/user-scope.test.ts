import { describe, expect, it } from 'vitest';
import { scopeCommand, type ScopeMachine } from './user-scope.ts';

describe('[UI6] a scope of the user’s own systemd manager', () => {
  const machine: ScopeMachine = { uid: 1001, env: {}, exists: () => true, canRun: () => true };

  it('runs the same program with its cgroup delegated', () => {
    const [program, args = []] = scopeCommand(['node', 'main.ts', 'up'], machine) ?? [];
    expect(program).toBe('/usr/bin/systemd-run');
    expect(args.join(' ')).toBe(
      '--user --scope --quiet --collect --property=Delegate=yes -- node main.ts up',
    );
  });

  it('asks the manager of this user', () => {
    const asked: string[] = [];
    const exists = (path: string) => asked.push(path) > 0;
    scopeCommand([], { ...machine, exists });
    expect(asked).toContain('/run/user/1001/systemd/private');
    scopeCommand([], { ...machine, exists, env: { XDG_RUNTIME_DIR: '/run/mine' } });
    expect(asked).toContain('/run/mine/systemd/private');
  });

  it.each([
    ['root needs none', { uid: 0 }],
    ['it is entered once', { env: { SHIP_USER_SCOPE: '1' } }],
    ['a machine without systemd has none', { exists: () => false }],
    ['a manager that refuses is left alone', { canRun: () => false }],
  ])('%s', (_why, change) => {
    expect(scopeCommand(['node'], { ...machine, ...change })).toBeUndefined();
  });
});
