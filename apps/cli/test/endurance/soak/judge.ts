/** Compares an idle Ship before and after the work, without I/O. */
import type { Reading } from '../meter.ts';

/** A reading without working and queued sessions. */
export type IdleReading = Reading & { diskMb: number; sandboxFolders: number };

/** A process keeps some memory after work; a leaking one keeps growing. */
const MEMORY_GROWTH = 1.5;
const MEMORY_SLACK_MB = 80;
const FILES_SLACK = 24;
/** For logs and artifacts of sessions that are still stored. */
const DISK_SLACK_MB = 40;

const mostMemory = (wasMb: number): number => wasMb * MEMORY_GROWTH + MEMORY_SLACK_MB;

export function leaks(before: IdleReading, after: IdleReading): string[] {
  const faults: string[] = [];
  const compare = (name: string, was: number, is: number, most: number) => {
    if (is > most) faults.push(`${name} grew from ${was} to ${is}, more than ${Math.round(most)}`);
  };
  compare('memory of the host (MB)', before.hostMb, after.hostMb, mostMemory(before.hostMb));
  compare(
    'memory of the control plane (MB)',
    before.controlPlaneMb,
    after.controlPlaneMb,
    mostMemory(before.controlPlaneMb),
  );
  compare('files of the host', before.hostFiles, after.hostFiles, before.hostFiles + FILES_SLACK);
  compare(
    'files of the control plane',
    before.controlPlaneFiles,
    after.controlPlaneFiles,
    before.controlPlaneFiles + FILES_SLACK,
  );
  compare('processes', before.processes, after.processes, before.processes);
  compare('sandboxes on disk', before.sandboxFolders, after.sandboxFolders, before.sandboxFolders);
  compare('disk (MB)', before.diskMb, after.diskMb, before.diskMb + DISK_SLACK_MB);
  return faults;
}
