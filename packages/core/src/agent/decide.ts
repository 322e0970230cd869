import {
  type AgentCommand,
  type AgentState,
  type PromptId,
  type SessionEvent,
} from '@ship/protocol';
import { type Decision, accept, reject } from '../session/decision.ts';
import { sessionEvent } from '../session/event.ts';

/** Decides on a person's command to the agent: the events it causes, or a rejection. A repeated command changes nothing. */
export function decideAgent(agent: AgentState, command: AgentCommand): Decision {
  switch (command.type) {
    case 'question.answer':
      return answerQuestion(agent, command);
    case 'permission.answer':
      return answerPermission(agent, command);
    case 'plan.decide':
      return decidePlan(agent, command);
    case 'mode.change': {
      const { mode, by } = command;
      return mode === agent.mode
        ? accept()
        : accept(sessionEvent('agent.mode-changed', { mode, by }));
    }
  }
}

function answerQuestion(
  { questions }: AgentState,
  { requestId, answers, by }: AgentCommand & { type: 'question.answer' },
): Decision {
  const open = questions.find((question) => question.requestId === requestId);
  if (open === undefined || open.answer !== null) return notOpen();
  if (answers !== null && answers.length !== open.questions.length) {
    return reject(
      'invalid-input',
      `${open.questions.length} answers are expected, one for each question.`,
      'Answer each question, or dismiss them all.',
    );
  }
  return accept(sessionEvent('question.answered', { requestId, answers, by }));
}

function answerPermission(
  { permissions }: AgentState,
  { requestId, reply, message, by }: AgentCommand & { type: 'permission.answer' },
): Decision {
  const open = permissions.find((permission) => permission.requestId === requestId);
  if (open === undefined || open.answer !== null) return notOpen();
  return accept(sessionEvent('permission.answered', { requestId, reply, message, by }));
}

/** The decision queues an ordinary prompt, so that it is attributed and visible like any other. */
function decidePlan(
  { plan, mode }: AgentState,
  { planId, decision, text, promptId, by }: AgentCommand & { type: 'plan.decide' },
): Decision {
  if (plan?.planId !== planId) return notOpen();
  if (decision === 'edit' && (text === null || text === '')) {
    return reject('invalid-input', 'The changed plan is empty.', 'Send its text, or approve it.');
  }
  const decided = sessionEvent('plan.decided', { planId, decision, by });
  if (decision === 'reject') {
    return text === null || text === ''
      ? accept(decided)
      : accept(
          decided,
          prompt(promptId, `The plan was rejected. Make another one.\n\n${text}`, by),
        );
  }
  const words =
    decision === 'edit'
      ? `The plan is approved with changes. Carry out this plan:\n\n${text}`
      : 'The plan is approved. Carry it out.';
  const toBuild =
    mode === 'build' ? [] : [sessionEvent('agent.mode-changed', { mode: 'build', by })];
  return accept(decided, ...toBuild, prompt(promptId, words, by));
}

function prompt(promptId: PromptId, text: string, author: string): SessionEvent {
  return sessionEvent('prompt.queued', { promptId, text, author });
}

function notOpen(): Decision {
  return reject(
    'nothing-to-answer',
    'The agent no longer waits for this answer.',
    'Check the current state of the session.',
  );
}
