import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Settings } from '@ship/protocol';
import { useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { settingsQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FailureNote } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { SettingField } from './fields.ts';
import { mergePatches } from './merge-patches.ts';
import { SettingControl } from './setting-control.tsx';

interface SettingsFormProps {
  readonly title: string;
  readonly text: string;
  readonly fields: readonly SettingField[];
  /** Prefilled values by field, for a person to review and save. */
  readonly suggest?: (settings: Settings) => Readonly<Record<string, string>>;
}

/** A card of settings with one Save button. Fields that are not edited here show changes by others. */
export function SettingsForm(props: SettingsFormProps) {
  const { data, error, refetch } = useQuery(settingsQuery);
  const { title, text, fields } = props;
  return (
    <Card aria-labelledby={`form-${title}`}>
      <div className="px-4 pt-4">
        <h2 id={`form-${title}`} className="font-medium">
          {title}
        </h2>
        <p className="text-sm text-pretty text-muted">{text}</p>
      </div>
      {error !== null && data === undefined ? (
        <FailureNote cause={error} onRetry={() => void refetch()} className="m-4" />
      ) : data === undefined ? (
        <div aria-busy className="space-y-4 p-4">
          {fields.map(({ id }) => (
            <Skeleton key={id} className="h-8" />
          ))}
        </div>
      ) : (
        <Form {...props} settings={data} />
      )}
    </Card>
  );
}

type FormProps = SettingsFormProps & { readonly settings: Settings };

function Form({ title, fields, suggest, settings }: FormProps) {
  const client = useQueryClient();
  const [drafts, setDrafts] = useState(() => suggest?.(settings) ?? {});
  const [isSaved, setIsSaved] = useState(false);
  const touched = fields.flatMap((field) => {
    const text = drafts[field.id];
    return text === undefined || text === field.read(settings) ? [] : [{ field, text }];
  });
  const written = touched.map(({ field, text }) => ({ id: field.id, result: field.write(text) }));
  const problems = new Map(
    written.flatMap(({ id, result }) => (result.ok ? [] : [[id, result.problem] as const])),
  );
  const save = useAction(
    async () =>
      (await loadApi()).patchSettings(
        mergePatches(written.flatMap(({ result }) => (result.ok ? [result.patch] : []))),
      ),
    {
      showsErrorInline: true,
      onDone: (saved) => {
        client.setQueryData(settingsQuery.queryKey, saved);
        setDrafts({});
        setIsSaved(true);
      },
    },
  );
  const isDirty = touched.length > 0;
  const canSave = isDirty && problems.size === 0 && !save.isPending;
  return (
    <form
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) save.mutate(undefined);
      }}
    >
      <div className="grid gap-x-6 gap-y-5 p-4 sm:grid-cols-2">
        {fields.map((field) => (
          <SettingControl
            key={field.id}
            field={field}
            text={drafts[field.id] ?? field.read(settings)}
            problem={problems.get(field.id) ?? null}
            onChange={(text) => {
              setIsSaved(false);
              setDrafts((before) => ({ ...before, [field.id]: text }));
            }}
          />
        ))}
      </div>
      {save.error !== null && <FailureNote cause={save.error} className="mx-4 mb-4" />}
      <div className="flex items-center gap-3 rounded-b-xl border-t border-line bg-canvas px-4 py-2.5">
        <Button type="submit" variant="primary" disabled={!canSave}>
          {save.isPending ? 'Saving…' : 'Save'}
        </Button>
        {isDirty && (
          <Button variant="ghost" onClick={() => setDrafts({})}>
            Discard
          </Button>
        )}
        <span role="status" className="text-sm text-muted">
          {isDirty ? 'Not saved yet' : isSaved ? 'Saved' : ''}
        </span>
      </div>
    </form>
  );
}
