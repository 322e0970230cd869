import type { Question } from '@ship/protocol';
import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { TextInput } from '../../../../ui/field.tsx';
import { useSession } from '../../session-context.ts';
import { NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

/** A permission request or question: buttons while it is open, the answer afterwards. */
export function AskView({ item }: ViewProps) {
  const [first] = item.events;
  const answered = item.events.find(
    ({ type }) => type === 'question.answered' || type === 'permission.answered',
  );
  const isOver = answered !== undefined || item.events.some(({ type }) => type === 'ask.closed');
  if (first.type === 'permission.asked') {
    const { requestId, permission, patterns } = first.data;
    const reply = answered?.type === 'permission.answered' ? answered.data.reply : null;
    return (
      <NoticeCard
        tone={isOver ? 'plain' : 'ask'}
        title={`Allow the agent to use ${permission}?`}
        actions={!isOver && <PermissionButtons askId={requestId} />}
      >
        {patterns.length > 0 && <code className="font-mono">{patterns.join(', ')}</code>}
        {isOver && <p>{reply === null ? 'No longer needed.' : replyLabels[reply]}</p>}
      </NoticeCard>
    );
  }
  if (first.type !== 'question.asked') return null;
  const answers = answered?.type === 'question.answered' ? answered.data.answers : null;
  return isOver ? (
    <NoticeCard tone="plain" title={first.data.questions.map(({ question }) => question).join(' ')}>
      {answers === null ? 'Left to the agent.' : answers.flat().join(', ')}
    </NoticeCard>
  ) : (
    <QuestionForm askId={first.data.requestId} questions={first.data.questions} />
  );
}

const replyLabels = {
  once: 'Allowed once.',
  always: 'Always allowed.',
  reject: 'Denied.',
} as const;

function PermissionButtons({ askId }: { readonly askId: string }) {
  const { actions } = useSession();
  return (
    <>
      <Button variant="primary" onClick={() => actions.permit({ askId, reply: 'once' })}>
        Allow once
      </Button>
      <Button onClick={() => actions.permit({ askId, reply: 'always' })}>Always allow</Button>
      <Button onClick={() => actions.permit({ askId, reply: 'reject' })}>Deny</Button>
    </>
  );
}

interface QuestionFormProps {
  readonly askId: string;
  readonly questions: readonly Question[];
}

/** A single-choice question is answered with one click; other forms collect all answers and send them together. */
function QuestionForm({ askId, questions }: QuestionFormProps) {
  const { actions } = useSession();
  const [chosen, setChosen] = useState<readonly (readonly string[])[]>(() =>
    questions.map(() => []),
  );
  const [otherAnswers, setOtherAnswers] = useState<readonly string[]>(() =>
    questions.map(() => ''),
  );
  const isSingleClick = questions.length === 1 && questions[0]?.allowsSeveral === false;
  const complete = chosen.map((labels, index) => {
    const other = otherAnswers[index]?.trim() ?? '';
    return other === '' ? labels : [...labels, other];
  });
  const choose = (index: number, label: string) => {
    if (isSingleClick) {
      actions.answer({ askId, answers: [[label]] });
      return;
    }
    const several = questions[index]?.allowsSeveral === true;
    setChosen((before) =>
      before.map((labels, at) => {
        if (at !== index) return labels;
        if (labels.includes(label)) return labels.filter((one) => one !== label);
        return several ? [...labels, label] : [label];
      }),
    );
  };
  return (
    <form
      aria-label="Question from the agent"
      className="my-2 space-y-4 rounded-xl border border-warn/40 bg-warn-soft p-3"
      onSubmit={(event) => {
        event.preventDefault();
        actions.answer({ askId, answers: complete });
      }}
    >
      {questions.map(({ question, options, allowsOther }, index) => (
        <fieldset key={question}>
          <legend className="mb-2 font-medium">{question}</legend>
          <div className="grid justify-items-start gap-2">
            {options.map(({ label, description }) => (
              <Button
                key={label}
                className="h-auto! min-h-8 w-full justify-start! py-1.5 text-left whitespace-normal!"
                aria-pressed={chosen[index]?.includes(label) === true}
                variant={chosen[index]?.includes(label) === true ? 'primary' : 'outline'}
                onClick={() => choose(index, label)}
              >
                <span>
                  {label}
                  {description !== '' && (
                    <span className="ml-2 font-normal opacity-80">{description}</span>
                  )}
                </span>
              </Button>
            ))}
          </div>
          {allowsOther && (
            <TextInput
              aria-label="Other answer"
              placeholder="Or type your own answer"
              value={otherAnswers[index] ?? ''}
              onChange={(event) =>
                setOtherAnswers((before) =>
                  before.map((text, at) => (at === index ? event.target.value : text)),
                )
              }
              className="mt-2"
            />
          )}
        </fieldset>
      ))}
      <div className="flex gap-2">
        <Button
          type="submit"
          variant="primary"
          disabled={complete.some((labels) => labels.length === 0)}
        >
          Answer
        </Button>
        <Button onClick={() => actions.answer({ askId, answers: null })}>
          Let the agent decide
        </Button>
      </div>
    </form>
  );
}
