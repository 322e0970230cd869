import { Cpu } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Field, controlStyles } from '../../../ui/field.tsx';
import { ModelSelect } from '../../models/model-select.tsx';
import { useSession } from '../session-context.ts';
import { isTurnRunning } from '../activity.ts';

/** Shows and changes the model. While the agent works, it shows why the model cannot change. */
export function ModelControl() {
  const { state, actions } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const [wanted, setWanted] = useState(state.model);
  const isBusy = isTurnRunning(state);
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(open) => {
        setWanted(state.model);
        setIsOpen(open);
      }}
    >
      <Popover.Trigger
        aria-label={`Model: ${state.model}`}
        className="inline-flex max-w-60 items-center gap-1 rounded hover:text-ink"
      >
        <Cpu aria-hidden className="size-3.5 shrink-0" />
        <span className="truncate">{state.model}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label="Model"
          className="z-40 w-80 animate-rise rounded-xl border border-line bg-surface p-4 shadow-dialog outline-none"
        >
          {isBusy ? (
            <p className="text-sm text-muted">
              The agent is using this model. Stop it or wait until it is done, then choose another.
            </p>
          ) : (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                actions.chooseModel(wanted);
                setIsOpen(false);
              }}
            >
              <Field label="Model" hint="Used from the next prompt on.">
                {(control) => (
                  <ModelSelect
                    {...control}
                    value={wanted}
                    onChange={setWanted}
                    className={controlStyles('h-9 md:h-8')}
                  />
                )}
              </Field>
              <Button
                type="submit"
                variant="primary"
                className="mt-3"
                disabled={wanted === state.model}
              >
                Use this model
              </Button>
            </form>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
