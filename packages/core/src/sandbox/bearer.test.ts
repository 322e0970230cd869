import type { SandboxState } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { mayUseCapability } from './bearer.ts';

const open = { status: 'idle' as const };
const own = { sandboxId: 'sbx-1', from: null };
const having = (sandbox: SandboxState) => ({ activity: open, sandbox });
const running: SandboxState = { status: 'running', sandboxId: 'sbx-1', since: 0 };

describe('a capability', () => {
  it('[CP3] is valid in the sandbox of an open session, asleep or awake', () => {
    expect(mayUseCapability(having(running), own)).toBe(true);
    expect(mayUseCapability(having({ ...running, status: 'asleep' }), own)).toBe(true);
  });

  it('[CP3] ends with the session and with the sandbox', () => {
    const lost: SandboxState = { status: 'lost', sandboxId: 'sbx-1', reason: 'gone', since: 0 };
    const closed = { status: 'closed' as const, by: 'ada' };
    expect(mayUseCapability(undefined, own)).toBe(false);
    expect(mayUseCapability({ activity: closed, sandbox: running }, own)).toBe(false);
    expect(mayUseCapability(having({ status: 'none' }), own)).toBe(false);
    expect(mayUseCapability(having(lost), own)).toBe(false);
    expect(mayUseCapability(having({ ...running, sandboxId: 'sbx-2' }), own)).toBe(false);
  });

  it('[CP4] is valid from the sandbox that it was issued for, and from helpers of its session', () => {
    const helpers = new Set(['sbx-helper']);
    const from = (id: string) => mayUseCapability(having(running), { ...own, from: id }, helpers);
    expect(['sbx-1', 'sbx-helper', 'sbx-2'].map(from)).toEqual([true, true, false]);
    expect(mayUseCapability(having(running), { ...own, from: 'sbx-helper' })).toBe(false);
  });
});
