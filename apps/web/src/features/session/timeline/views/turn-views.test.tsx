import { type ErrorAction, SESSION_EVENTS, type ShipError, shipError } from '@ship/protocol';
import {
  RouterContextProvider,
  createMemoryHistory,
  createRootRoute,
  createRouter,
} from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { SessionContext, type SessionScope } from '../../session-context.ts';
import { ItemList } from '../items.ts';
import { placementOf } from './placement.ts';
import { ProviderRetryView, RecordingLimitView, TurnEndView } from './turn-views.tsx';

const turnId = `turn_01${'a'.repeat(24)}`;

const text = (markup: string) =>
  markup
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const shown = (reason?: object) => {
  const list = new ItemList(placementOf);
  const data = { turnId, attempt: 2, nextAttemptAt: 1, reason };
  list.add([{ seq: 1, at: 0, type: 'provider.retrying', version: 1, data }]);
  return list.items.map((item) => text(renderToStaticMarkup(<ProviderRetryView item={item} />)));
};

describe('a retry of the provider in the timeline', () => {
  it('shows the reason', () => {
    expect(shown({ kind: 'rate-limited', message: 'Too <b>Many</b> Requests' })).toEqual([
      'The model provider is rate limiting requests: “Too &lt;b&gt;Many&lt;/b&gt; Requests”. Retrying (attempt 2).',
    ]);
  });

  it('from an older log only shows that it retries', () => {
    expect(shown()).toEqual(['The call to the model provider failed. Retrying (attempt 2).']);
  });
});

describe('a recording limit in the timeline', () => {
  it('[RL5] is one entry, which shows how much was left out once that is known', () => {
    const list = new ItemList(placementOf);
    const limited = { turnId, scope: 'turn', limit: 'events' };
    const none = { events: 0, bytes: 0, artifacts: 0, artifactBytes: 0 };
    const event = { at: 0, type: 'recording.limited', version: 1 };
    const limitText = () =>
      list.items.map((item) => text(renderToStaticMarkup(<RecordingLimitView item={item} />)));
    list.add([{ ...event, seq: 1, data: { ...limited, isFinal: false, cut: none } }]);
    expect(limitText()).toEqual([
      expect.stringMatching(/further tool calls .* are not recorded\.$/),
    ]);
    list.add([
      { ...event, seq: 2, data: { ...limited, isFinal: true, cut: { ...none, events: 7 } } },
    ]);
    expect(limitText()).toEqual([expect.stringMatching(/: 7 events left out\.$/)]);
  });
});

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });

/** Renders the newest turn, which ended with this error. */
function failedTurn(error: ShipError): string {
  const list = new ItemList(placementOf);
  const outcome = { kind: 'failed', error };
  const { version } = SESSION_EVENTS['turn.finished'];
  list.add([{ seq: 1, at: 0, type: 'turn.finished', version, data: { turnId, outcome } }]);
  // The fields that the view reads.
  const scope = {
    state: { activity: { status: 'failed', turn: { turnId } } },
    actions: { retry: () => undefined, isRetrying: false },
  } as unknown as SessionScope;
  const [item] = list.items;
  if (item === undefined) throw new Error('the event is not shown');
  return renderToStaticMarkup(
    <RouterContextProvider router={router}>
      <SessionContext value={scope}>
        <TurnEndView item={item} />
      </SessionContext>
    </RouterContextProvider>,
  );
}

const refused = (action?: ErrorAction) =>
  failedTurn(
    shipError('credentials-refused', 'Refused.', 'Set it under Settings → Forges.', action),
  );

describe('a failed turn in the timeline', () => {
  it.each(['forges', 'models', 'network'] as const)(
    '[ER4] opens the settings that its error names: %s',
    (section) => {
      const markup = refused({ kind: 'open-settings', section });
      expect(markup).toContain(`href="/settings/${section}"`);
      expect(text(markup)).toContain('Open settings');
    },
  );

  it('[ER4] an error without an action has no settings button, even if its remedy names Settings', () => {
    expect(text(refused())).toBe('Refused. Set it under Settings → Forges. Retry');
  });
});
