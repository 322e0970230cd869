import { unwrap } from '../platform/result.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { WorkspacePort } from './parts.ts';

/** The workspace as a session needs it. */
export function workspacePort(stub: () => DurableObjectStub<Workspace>): WorkspacePort {
  return {
    settings: async () => unwrap(await stub().readSettings()).settings,
    report: async (report) => void unwrap(await stub().reportSession(report)),
    remove: async (sessionId) => unwrap(await stub().removeSession(sessionId)),
    chargeDay: (charge) => stub().chargeDay(charge),
    takeSlot: async (sessionId, askedAt) => unwrap(await stub().takeSlot(sessionId, askedAt)),
    releaseSlot: async (sessionId) => unwrap(await stub().releaseSlot(sessionId)),
    endedCredentials: (credentials) => stub().endedCredentials(credentials),
  };
}
