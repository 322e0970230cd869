import { Keys } from '../../ui/kbd.tsx';
import { shortcutGroups } from './shortcut-groups.ts';

export const ShortcutList = () => (
  <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
    {shortcutGroups.map(({ title, shortcuts }) => (
      <section key={title} aria-label={title}>
        <h3 className="mb-1 text-sm text-faint">{title}</h3>
        <dl>
          {shortcuts.map(({ keys, label }) => (
            <div
              key={label}
              className="flex min-h-8 items-center justify-between gap-4 py-1 text-sm"
            >
              <dt className="text-muted">{label}</dt>
              <dd className="shrink-0">
                <Keys keys={keys} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </div>
);
