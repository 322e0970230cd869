const keyOf = (sessionId: string) => `ship.draft.${sessionId}`;

/** The unsent prompt of a session, kept for this tab. */
export function readDraft(sessionId: string): string {
  try {
    return sessionStorage.getItem(keyOf(sessionId)) ?? '';
  } catch {
    return '';
  }
}

export function writeDraft(sessionId: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(sessionId));
    else sessionStorage.setItem(keyOf(sessionId), text);
  } catch {
    // Storage may be denied; the text is still on the screen.
  }
}

export const clearDraft = (sessionId: string): void => writeDraft(sessionId, '');
