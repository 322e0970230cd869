import type { Card } from '@ship/protocol';

export const titleOf = (card: Card): string =>
  card.kind === 'session' ? card.session.title : card.draft.title;
