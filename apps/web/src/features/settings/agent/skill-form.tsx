import { AgentSkill } from '@ship/protocol';
import { useState } from 'react';
import { Field, TextArea, TextInput } from '../../../ui/field.tsx';
import { FormFrame, problemsOf } from './form-frame.tsx';
import { put, useAgentSettings } from './use-agent-settings.ts';

interface SkillFormProps {
  /** Null to add one. */
  readonly skill: AgentSkill | null;
  /** Names of other skills. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

export function SkillForm({ skill, taken, onClose }: SkillFormProps) {
  const [name, setName] = useState(skill?.name ?? '');
  const [description, setDescription] = useState(skill?.description ?? '');
  const [text, setText] = useState(skill?.text ?? '');
  const [isSubmitted, setIsSubmitted] = useState(false);
  const save = useAgentSettings(onClose);
  const isEnabled = skill?.isEnabled ?? true;
  const parsed = AgentSkill.safeParse({ name: name.trim(), description, text, isEnabled });
  const problems = isSubmitted ? problemsOf(parsed.error?.issues ?? [], name.trim(), taken) : {};
  return (
    <FormFrame
      label={skill === null ? 'Add a skill' : `Change ${skill.name}`}
      failure={save.error}
      isBusy={save.isPending}
      onCancel={onClose}
      onSubmit={() => {
        setIsSubmitted(true);
        if (parsed.success && !taken.includes(parsed.data.name))
          save.mutate(({ skills }) => ({
            skills: put(skills, skill?.name ?? null, parsed.data),
          }));
      }}
    >
      <Field
        label="Name"
        hint="Lowercase letters, digits and hyphens, such as release-notes."
        problem={problems['name']}
      >
        {(control) => (
          <TextInput
            {...control}
            value={name}
            spellCheck={false}
            autoComplete="off"
            className="font-mono"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Description"
        hint="When to use it. The agent always sees this line."
        problem={problems['description']}
      >
        {(control) => (
          <TextInput
            {...control}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Text"
        hint="Instructions in Markdown. The agent reads them when it uses the skill."
        problem={problems['text']}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={10}
            value={text}
            className="font-mono"
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </FormFrame>
  );
}
