/**
 * The built-in script: a small, sensible change in any repository with the agent's real tools, clearly labelled as a demo.
 * It works like an agent: inspect, run the tests, change, check, report. At most 25 steps.
 */
import type { Reply, Run, Turn } from '../../script/script.ts';
import { intentOf } from './intent.ts';
import { type FixAttempt, fixTest } from './fix/index.ts';
import { type Change, noteFor } from './notes.ts';
import type { StepGenerator } from './step-generator.ts';
import {
  type ProjectInfo,
  advance,
  initialTodos,
  inspectProject,
  withoutTests,
} from './inspect-project.ts';
import { type TestRun, runTests } from './run-tests.ts';
import { type Todo, AgentTools, allChangesApplied } from './agent-tools.ts';
import { findingsMessage, fixedMessage, noteMessage } from './final-message.ts';

/** Skips steps without calls: they would end the turn early when the agent does not offer their tools. */
export const general: Run = function* (turn) {
  const generator = work(turn);
  let current = generator.next();
  while (current.done !== true) {
    const { calls = [] } = current.value;
    current = generator.next(calls.length === 0 ? [] : yield current.value);
  }
  return current.value;
};

function* work(turn: Turn): StepGenerator<Reply> {
  const tools = new AgentTools(turn);
  const plan = initialTodos(turn, tools);
  const project = yield* inspectProject(turn, tools, plan);
  const todos = project.runner === null || !tools.canRun ? withoutTests(plan) : plan;
  const intent = intentOf(turn.prompt);
  if (!tools.canChange || intent === 'answer') {
    return yield* report(tools, todos, findingsMessage(turn.prompt, project, turn.planOnly));
  }
  const testRun = yield* runInitialTests(tools, project, todos);
  const failed = testRun?.outcome.status === 'failed';
  let fixAttempt: FixAttempt | null = null;
  if (intent === 'fix' && testRun !== null && failed) {
    fixAttempt = yield* fixTest(tools, project, testRun, {
      work: advance(todos, 2),
      check: advance(todos, 3),
    });
    if (fixAttempt.fix !== null) return yield* report(tools, todos, fixedMessage(fixAttempt));
  }
  return yield* note(turn, tools, project, todos, testRun, fixAttempt);
}

function* runInitialTests(
  tools: AgentTools,
  project: ProjectInfo,
  todos: Todo[],
): StepGenerator<TestRun | null> {
  if (project.runner === null || !tools.canRun) return null;
  return yield* runTests(tools, project.runner, advance(todos, 1), {
    think: `The tests run with ${project.runner.command}. I’ll run them before I change anything.`,
    say: 'Let me run the tests before I change anything.',
  });
}

function* note(
  turn: Turn,
  tools: AgentTools,
  project: ProjectInfo,
  todos: Todo[],
  testRun: TestRun | null,
  fixAttempt: FixAttempt | null,
): StepGenerator<Reply> {
  const change = noteFor(turn.prompt, project, testRun);
  const results = yield {
    think: `A script cannot carry out this request, but I can leave a useful note in ${change.file}.`,
    say: `I’ll write a note to ${change.file}.`,
    calls: [...tools.todos(advance(todos, 2)), ...changeCalls(tools, change)],
  };
  const applied = allChangesApplied(results);
  const checked = applied ? yield* runFinalTests(tools, todos, testRun) : testRun;
  return yield* report(
    tools,
    todos,
    noteMessage(turn.prompt, change, applied, checked, fixAttempt),
  );
}

/** Runs the tests again only if they passed before: otherwise the result says nothing about this change. */
function* runFinalTests(
  tools: AgentTools,
  todos: Todo[],
  before: TestRun | null,
): StepGenerator<TestRun | null> {
  if (before?.outcome.status !== 'passed') return before;
  return yield* runTests(tools, before.runner, advance(todos, 3), {
    think: 'The tests passed before. They should still pass.',
  });
}

function changeCalls(tools: AgentTools, change: Change) {
  return change.kind === 'create'
    ? tools.create(change.file, change.text)
    : tools.edit(change.file, change.before, change.after);
}

/** Completes the todo list and returns the final message. */
function* report(tools: AgentTools, todos: Todo[], message: string): StepGenerator<Reply> {
  const calls = tools.todos(advance(todos, todos.length));
  if (calls.length > 0) yield { think: 'Everything is done.', calls };
  return { say: message };
}
