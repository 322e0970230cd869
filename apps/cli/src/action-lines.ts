import type { ShipError } from '@ship/protocol';

/** Where a person performs the action of an error, if it has one. `pageUrl` is null when the server ends with the command. */
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
