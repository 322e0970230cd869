import type { SessionId } from '@ship/protocol';

/** The folder of all artifacts of a session: deleting the session deletes the folder. */
export const sessionFolder = (sessionId: SessionId): string => `sessions/${sessionId}`;

export const sessionArtifact = (sessionId: SessionId, name: string): string =>
  `${sessionFolder(sessionId)}/${name}`;
