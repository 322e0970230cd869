import { isMirrorDue } from '@ship/core';
import type { Egress, SandboxPort } from '../../sandbox/port.ts';
import type { Forge } from '../forge/port.ts';
import { mirrorMadeAt } from '../work/clone.ts';
import { sandboxShell } from '../work/shell.ts';
import { keepMirror } from './update.ts';
import { MIRROR_FOLDER, mirrorTemplate } from './template.ts';

export interface RefreshDeps {
  port: Pick<SandboxPort, 'createBuilder' | 'run' | 'capture' | 'destroy'>;
  /** A sandbox of the repository, which knows the age of its mirror. */
  sandboxId: string;
  forge: Pick<Forge, 'repository'>;
  location: string;
  remote: string;
  now: () => number;
  egress: Egress;
}

/** For the next session on this repository. Callers do not await it. */
export async function refreshMirror(deps: RefreshDeps): Promise<'kept' | 'busy' | 'not-due'> {
  const { port, forge, location, remote, now, egress } = deps;
  const { sizeKb } = await forge.repository();
  const madeAtMs = await mirrorMadeAt(sandboxShell(port, deps.sandboxId), MIRROR_FOLDER);
  if (!isMirrorDue({ sizeKb, madeAtMs, nowMs: now() })) return 'not-due';
  return keepMirror(port, { name: await mirrorTemplate(location), remote, now, egress });
}
