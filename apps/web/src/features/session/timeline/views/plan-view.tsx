import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { TextArea } from '../../../../ui/field.tsx';
import { Markdown } from '../../../markdown/markdown.tsx';
import { useSession } from '../../session-context.ts';
import type { ViewProps } from './frame.tsx';

const decided = {
  approve: 'Approved.',
  edit: 'Approved with changes.',
  reject: 'Rejected.',
} as const;

/** The user's edits by plan: the end of the turn, and scrolling far away, mount the view again, which would lose them. */
const drafts = new Map<string, string>();

/** A plan with its buttons while it waits for approval, and the decision afterwards. */
export function PlanView({ item }: ViewProps) {
  const { actions } = useSession();
  const [first] = item.events;
  const key = first.type === 'plan.proposed' ? first.data.planId : '';
  const [draft, showDraft] = useState<string | null>(() => drafts.get(key) ?? null);
  if (first.type !== 'plan.proposed') return null;
  const setDraft = (next: string | null) => {
    if (next === null) drafts.delete(key);
    else drafts.set(key, next);
    showDraft(next);
  };
  const decision = item.events.find((event) => event.type === 'plan.decided')?.data.decision;
  const { planId, text } = first.data;
  return (
    <section aria-label="Plan" className="my-2 rounded-xl border border-line bg-surface p-4">
      <h3 className="mb-2 text-sm text-muted">
        Plan{decision === undefined ? ' · waiting for your approval' : ` · ${decided[decision]}`}
      </h3>
      {draft === null ? (
        <Markdown text={text} />
      ) : (
        <TextArea
          aria-label="Edit the plan"
          autoFocus
          rows={12}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
      )}
      {decision === undefined && (
        <div className="mt-4 flex flex-wrap gap-2">
          {draft === null ? (
            <>
              <Button
                variant="primary"
                onClick={() => actions.decidePlan({ planId, decision: 'approve', text: null })}
              >
                Approve
              </Button>
              <Button onClick={() => setDraft(text)}>Edit</Button>
              <Button
                onClick={() => actions.decidePlan({ planId, decision: 'reject', text: null })}
              >
                Reject
              </Button>
            </>
          ) : (
            <>
              <Button
                variant="primary"
                disabled={draft.trim() === ''}
                onClick={() => actions.decidePlan({ planId, decision: 'edit', text: draft })}
              >
                Approve with changes
              </Button>
              <Button onClick={() => setDraft(null)}>Cancel</Button>
            </>
          )}
        </div>
      )}
    </section>
  );
}
