import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { Switch } from '../../../ui/switch.tsx';

interface Named {
  readonly name: string;
  readonly isEnabled: boolean;
}

interface NamedListProps<Item extends Named> {
  readonly title: string;
  readonly text: string;
  /** The singular noun, such as "skill". */
  readonly noun: string;
  readonly items: readonly Item[];
  readonly describe: (item: Item) => ReactNode;
  /** Null adds a new one. */
  readonly form: (item: Item | null, close: () => void) => ReactNode;
  readonly onSwitch: (item: Item, isEnabled: boolean) => void;
  readonly onRemove: (item: Item) => void;
}

/** A list of named items that can be switched on and off, edited, added and removed. */
export function NamedList<Item extends Named>(props: NamedListProps<Item>) {
  const { title, text, noun, items, describe, form, onSwitch, onRemove } = props;
  /** The name of the item being edited; empty for a new one. */
  const [editing, setEditing] = useState<string | null>(null);
  const [toRemove, setToRemove] = useState<Item | null>(null);
  const close = () => setEditing(null);
  return (
    <Card aria-labelledby={`list-${noun}`}>
      <div className="px-4 py-3">
        <h2 id={`list-${noun}`} className="font-medium">
          {title}
        </h2>
        <p className="text-sm text-pretty text-muted">{text}</p>
      </div>
      <ul className="divide-y divide-line border-t border-line empty:hidden">
        {items.map((item) => (
          <li key={item.name} className="px-4 py-3">
            {editing === item.name ? (
              form(item, close)
            ) : (
              <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
                <Switch
                  aria-label={`Use ${item.name}`}
                  checked={item.isEnabled}
                  onCheckedChange={(isEnabled) => onSwitch(item, isEnabled)}
                />
                <div className="min-w-0 flex-1">
                  <p className="font-medium">{item.name}</p>
                  <p className="truncate text-sm text-muted">{describe(item)}</p>
                </div>
                <Button aria-label={`Change ${item.name}`} onClick={() => setEditing(item.name)}>
                  Change
                </Button>
                <Button aria-label={`Remove ${item.name}`} onClick={() => setToRemove(item)}>
                  Remove
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      <div className="border-t border-line p-4">
        {editing === '' ? (
          form(null, close)
        ) : (
          <Button onClick={() => setEditing('')}>
            <Plus aria-hidden /> Add a {noun}
          </Button>
        )}
      </div>
      {toRemove !== null && (
        <Confirm
          title={`Remove ${toRemove.name}?`}
          text="Agents no longer have it from their next turn."
          action="Remove"
          onConfirm={() => onRemove(toRemove)}
          onClose={() => setToRemove(null)}
        />
      )}
    </Card>
  );
}
