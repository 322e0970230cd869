import type { ShipError } from '@ship/protocol';

/** Where the action of an error is done, if it has one. `pageUrl` is null when no server goes on running. */
export function actionLines(
  { action }: Pick<ShipError, 'action'>,
  pageUrl: string | null,
): string[] {
  switch (action?.kind) {
    case 'open-settings': {
      const path = `/settings/${action.section}`;
      return [pageUrl === null ? `npm start, then open ${path}` : `${pageUrl}${path}`];
    }
    case undefined:
      return [];
  }
}
