import type { Repository } from '@ship/protocol';
import { useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select, TextArea, TextInput } from '../../ui/field.tsx';
import { FailureNote } from '../../ui/notice.tsx';

interface RepositoryFormProps {
  /** Null to add one. */
  readonly repository: Repository | null;
  readonly onSaved: (repository: Repository) => void;
  readonly onCancel?: () => void;
}

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

const choices = { default: 'As in Settings', on: 'On', off: 'Off' } as const;
type Choice = keyof typeof choices;
const choiceOf = (value: boolean | null | undefined): Choice =>
  value === true ? 'on' : value === false ? 'off' : 'default';
const valueOf = (choice: Choice) => (choice === 'default' ? null : choice === 'on');

/** How a repository is cloned, set up and verified. The location cannot change, because sessions refer to it. */
export function RepositoryForm({ repository, onSaved, onCancel }: RepositoryFormProps) {
  const [location, setLocation] = useState(repository?.location ?? '');
  const [name, setName] = useState(repository?.name ?? '');
  const [base, setBase] = useState(repository?.defaultBase ?? '');
  const [setup, setSetup] = useState(repository?.setupCommand ?? '');
  const [verify, setVerify] = useState(repository?.verifyCommand ?? '');
  const [steps, setSteps] = useState(String(repository?.maxStepsPerTurn ?? ''));
  const [install, setInstall] = useState(choiceOf(repository?.installDependencies));
  const [scripts, setScripts] = useState(choiceOf(repository?.installScripts));
  const [instructions, setInstructions] = useState(repository?.instructions ?? '');
  const save = useAction(
    async () => {
      const api = await loadApi();
      const fields = {
        ...(orNull(name) !== null && { name: name.trim() }),
        defaultBase: orNull(base),
        setupCommand: orNull(setup),
        verifyCommand: orNull(verify),
        installDependencies: valueOf(install),
        installScripts: valueOf(scripts),
        instructions: orNull(instructions),
        maxStepsPerTurn: orNull(steps) === null ? null : Number(steps),
      };
      return repository === null
        ? api.createRepository({ location: location.trim(), ...fields })
        : api.editRepository(repository.repositoryId, fields);
    },
    { showsErrorInline: true, onDone: onSaved },
  );
  return (
    <form
      aria-label={repository === null ? 'Add a repository' : `Change ${repository.name}`}
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      {repository === null && (
        <Field label="Location" hint="A URL that git can clone, or a folder on this machine.">
          {(control) => (
            <TextInput
              {...control}
              required
              value={location}
              placeholder="https://github.com/you/project or /home/you/project"
              spellCheck={false}
              autoComplete="off"
              className="font-mono"
              onChange={(event) => setLocation(event.target.value)}
            />
          )}
        </Field>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" hint="Leave empty to use the last part of the location.">
          {(control) => (
            <TextInput
              {...control}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Base branch"
          hint="Leave empty to use the checked-out branch of a folder, or the default branch."
        >
          {(control) => (
            <TextInput
              {...control}
              value={base}
              placeholder="main"
              spellCheck={false}
              className="font-mono"
              onChange={(event) => setBase(event.target.value)}
            />
          )}
        </Field>
        <Field label="Setup command" hint="Runs once in a new sandbox before the agent starts.">
          {(control) => (
            <TextArea
              {...control}
              rows={2}
              value={setup}
              placeholder="npm ci"
              spellCheck={false}
              className="font-mono"
              onChange={(event) => setSetup(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Verify command"
          hint="Runs after each turn; its result appears in the pull request."
        >
          {(control) => (
            <TextArea
              {...control}
              rows={2}
              value={verify}
              placeholder="npm test"
              spellCheck={false}
              className="font-mono"
              onChange={(event) => setVerify(event.target.value)}
            />
          )}
        </Field>
        <Field label="Steps per turn" hint="Leave empty to use the value under Budgets and limits.">
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={1}
              max={1000}
              value={steps}
              onChange={(event) => setSteps(event.target.value)}
            />
          )}
        </Field>
        <ChoiceField
          label="Install dependencies"
          hint="If there is no setup command and no setup in the repository."
          value={install}
          onChange={setInstall}
        />
        <ChoiceField
          label="Install scripts"
          hint="Whether dependencies may run their own scripts."
          value={scripts}
          onChange={setScripts}
        />
        <Field
          label="Instructions"
          hint="Sent to every agent on this repository, in addition to its AGENTS.md and the instructions under Agent."
          className="sm:col-span-2"
        >
          {(control) => (
            <TextArea
              {...control}
              rows={3}
              value={instructions}
              onChange={(event) => setInstructions(event.target.value)}
            />
          )}
        </Field>
      </div>
      {save.error !== null && <FailureNote cause={save.error} />}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" disabled={save.isPending}>
          {repository === null ? 'Add repository' : 'Save'}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </form>
  );
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: Choice;
  readonly onChange: (choice: Choice) => void;
}

const ChoiceField = ({ label, hint, value, onChange }: ChoiceFieldProps) => (
  <Field label={label} hint={hint}>
    {(control) => (
      <Select
        {...control}
        value={value}
        onChange={({ target }) =>
          onChange(target.value === 'on' ? 'on' : target.value === 'off' ? 'off' : 'default')
        }
      >
        {Object.entries(choices).map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </Select>
    )}
  </Field>
);
