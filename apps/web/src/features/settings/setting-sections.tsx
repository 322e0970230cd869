import { withEntry } from '@ship/core';
import { useSearch } from '@tanstack/react-router';
import { Card } from '../../ui/card.tsx';
import { budgetFields, generalFields, idleFields, limitFields, networkFields } from './fields.ts';
import { SecretList } from './secret-list.tsx';
import { SettingsForm } from './settings-form.tsx';

export const GeneralSection = () => (
  <SettingsForm title="General" text="For every new session." fields={generalFields} />
);

export const LimitsSection = () => (
  <>
    <SettingsForm
      title="Budgets"
      text="Hard caps: a session that meets one pauses and asks you. Tokens are those of prompts and answers; such a cap also holds for models without a price."
      fields={budgetFields}
    />
    <SettingsForm
      title="Limits"
      text="Against agents that run away. A session that meets one pauses and says why."
      fields={limitFields}
    />
    <SettingsForm
      title="Idle sandboxes"
      text="What happens to a sandbox that nobody uses. Each step comes later than the one before."
      fields={idleFields}
    />
  </>
);

/** `?allow=HOST`: somebody came from a refusal. */
export function NetworkSection() {
  const { allow: host } = useSearch({ from: '/settings/network' });
  return (
    <SettingsForm
      key={host}
      title="Network"
      text="A sandbox reaches the models and git through Ship, and of the internet only what is listed here; while nothing is, what its service allows by itself. A sandbox that runs obeys from its next turn on."
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
      Secrets of the workspace
    </h2>
    <p className="mb-4 text-sm text-pretty text-muted">
      Environment variables for the scripts and the agents of all repositories: whatever runs in a
      session can read them. Sealed at rest, never shown again, and masked in what a session shows.
      A repository&rsquo;s own secret of the same name overrules one from here.
    </p>
    <SecretList repositoryId={null} />
  </Card>
);
