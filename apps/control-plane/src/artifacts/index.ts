import { DiskArtifacts, type DiskService } from './disk.ts';
import type { ArtifactStore } from './port.ts';
import { R2Artifacts } from './r2.ts';

export type { ArtifactStore } from './port.ts';

/** The store behind the binding `ARTIFACTS`: workerd's disk service on one machine, R2 in the cloud. */
export function artifactStore(binding: R2Bucket | DiskService): ArtifactStore {
  // Only a service has `fetch`. Checking for an R2 method would not work: a service stub has every name.
  return 'fetch' in binding ? new DiskArtifacts(binding) : new R2Artifacts(binding);
}
