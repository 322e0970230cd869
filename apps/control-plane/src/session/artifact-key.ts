import type { SessionId } from '@ship/protocol';

/** Where everything of a session is, so that deleting the session deletes it too. */
export const sessionFolder = (sessionId: SessionId): string => `sessions/${sessionId}`;

export const sessionArtifact = (sessionId: SessionId, name: string): string =>
  `${sessionFolder(sessionId)}/${name}`;
