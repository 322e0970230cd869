import { DEFAULT_SETTINGS } from '@ship/protocol';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { settingsQuery } from '../../../../data/queries.ts';
import { SessionContext, type SessionScope } from '../../session-context.ts';
import { ItemList } from '../items.ts';
import { EgressRefusedView } from './egress-view.tsx';
import { placementOf } from './placement.ts';

const turnId = `turn_01${'a'.repeat(24)}`;
const text = (markup: string) =>
  markup
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const shown = (data: object, allow: string[] = []) => {
  const client = new QueryClient();
  client.setQueryData(settingsQuery.queryKey, { ...DEFAULT_SETTINGS, egress: { allow } });
  const list = new ItemList(placementOf);
  const event = { type: 'egress.refused', version: 1, data: { turnId, port: 443, ...data } };
  list.add([
    { seq: 1, at: 0, ...event },
    { seq: 2, at: 1, ...event },
  ]);
  // The view only reads the session id.
  const scope = { state: { sessionId: 'ses_1' } } as unknown as SessionScope;
  return list.items.map((item) =>
    text(
      renderToStaticMarkup(
        <QueryClientProvider client={client}>
          <SessionContext value={scope}>
            <EgressRefusedView item={item} />
          </SessionContext>
        </QueryClientProvider>,
      ),
    ),
  );
};

describe('a refused host in the timeline', () => {
  it('[NW10] appears once, with its rule and the button that allows it', () => {
    expect(shown({ host: 'npm.corp.test', rule: 'not-listed' })).toEqual([
      'Ship refused npm.corp.test It is not on the allow-list. Rule: not-listed Allow npm.corp.test',
    ]);
  });

  it('shows the private address that the entry will contain', () => {
    const refused = { host: 'npm.corp.test', rule: 'address', address: '10.2.3.4' };
    expect(shown(refused)).toEqual([
      'Ship refused npm.corp.test It is at 10.2.3.4, a private, local or reserved address. Rule: address Allow npm.corp.test',
    ]);
    expect(shown(refused, ['npm.corp.test=10.2.3.4'])[0]).toContain('Allowed. Retry');
  });

  it('has no button if no entry helps', () => {
    const refused = { host: 'npm.corp.test', rule: 'address', address: '169.254.169.254' };
    expect(shown(refused)[0]).not.toContain('Allow npm');
    expect(shown({ host: 'npm.corp.test', rule: 'port' })[0]).not.toContain('Allow npm');
  });
});
