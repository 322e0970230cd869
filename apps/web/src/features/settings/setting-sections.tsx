import { withEntry } from '@ship/core';
import { useSearch } from '@tanstack/react-router';
import { Card } from '../../ui/card.tsx';
import { budgetFields, generalFields, idleFields, limitFields, networkFields } from './fields.ts';
import { SecretList } from './secret-list.tsx';
import { SettingsForm } from './settings-form.tsx';

export const GeneralSection = () => (
  <SettingsForm title="General" text="Defaults for new sessions." fields={generalFields} />
);

export const LimitsSection = () => (
  <>
    <SettingsForm
      title="Budgets"
      text="Hard limits: a session that reaches one pauses and asks you. Token limits count prompts and answers, and also apply to models without a price."
      fields={budgetFields}
    />
    <SettingsForm
      title="Limits"
      text="Stop runaway agents. A session that reaches a limit pauses and says why."
      fields={limitFields}
    />
    <SettingsForm
      title="Idle sandboxes"
      text="What happens to an unused sandbox. Each step must be later than the previous one."
      fields={idleFields}
    />
  </>
);

/** `?allow=HOST` comes from a link in a refusal. */
export function NetworkSection() {
  const { allow: host } = useSearch({ from: '/settings/network' });
  return (
    <SettingsForm
      key={host}
      title="Network"
      text="Sandboxes reach models and git through Ship, and only these hosts on the internet. With an empty list, the defaults of the sandbox service apply. Running sandboxes follow a change from their next turn."
      fields={networkFields}
      suggest={({ egress: { allow } }) =>
        host === undefined || allow.includes(host)
          ? {}
          : { allow: withEntry(allow, host).join('\n') }
      }
    />
  );
}

export const SecretsSection = () => (
  <Card aria-labelledby="secrets" className="p-4">
    <h2 id="secrets" className="font-medium">
      Workspace secrets
    </h2>
    <p className="mb-4 text-sm text-pretty text-muted">
      Environment variables for the scripts and agents of all repositories. Everything that runs in
      a session can read them. They are encrypted at rest, never shown again, and masked in session
      output. A repository&rsquo;s secret of the same name overrides the one here.
    </p>
    <SecretList repositoryId={null} />
  </Card>
);
