import type { Presence } from '../isolation/backend.ts';
import type { Phase } from '../store/records.ts';

/**
 * Reconciles one sandbox at server start. The record holds what the client was promised, `presence` what exists; they
 * differ when the server or the machine died in the middle of something.
 */
type Reconciliation =
  | { do: 'destroy'; why: string }
  | { do: 'keep' }
  | { do: 'pool' }
  | { do: 'thaw' }
  | { do: 'freeze' }
  | { do: 'stop' }
  | { do: 'mark-lost' };

export function reconcile(phase: Phase, presence: Presence): Reconciliation {
  if (phase.state === 'creating') return { do: 'destroy', why: 'its creation was interrupted' };
  if (phase.state === 'killing') return { do: 'destroy', why: 'it was being killed' };
  if (presence === 'absent') return { do: 'destroy', why: 'its files are gone' };
  if (phase.state === 'pooled') {
    return presence === 'running'
      ? { do: 'pool' }
      : { do: 'destroy', why: 'it was unused in the pool' };
  }
  if (phase.state === 'running') {
    if (presence === 'running') return { do: 'keep' };
    // Frozen, but the pause was never confirmed to a client.
    return presence === 'frozen' ? { do: 'thaw' } : { do: 'mark-lost' };
  }
  if (phase.keeps === 'memory') {
    if (presence === 'frozen') return { do: 'keep' };
    // Thawed, but the resume was never confirmed: no client watches it.
    return presence === 'running' ? { do: 'freeze' } : { do: 'mark-lost' };
  }
  return presence === 'stopped' ? { do: 'keep' } : { do: 'stop' };
}
