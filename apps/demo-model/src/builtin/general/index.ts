/**
 * The built-in script: a small sensible change in any repository, with the agent's real tools, clearly labelled as a demo.
 * It reads like the work of an agent: look round, run the tests, change, check, report. At most 20 steps.
 */
import type { Reply, Run, Turn } from '../../script/script.ts';
import { intentOf } from './intent.ts';
import { type Mended, mend } from './mend/index.ts';
import { type Change, noteFor } from './notes.ts';
import type { Part } from './story.ts';
import { type Survey, advance, initialTodos, survey, withoutTests } from './survey.ts';
import { type Tested, runTests } from './testing.ts';
import { type Todo, Toolbox, changed } from './toolbox.ts';
import { foundWords, mendedWords, notedWords } from './words.ts';

/** A step without calls would end the turn early: where the tools for it are not offered, the story goes on at once. */
export const general: Run = function* (turn) {
  const story = work(turn);
  let told = story.next();
  while (told.done !== true) {
    const { calls = [] } = told.value;
    told = story.next(calls.length === 0 ? [] : yield told.value);
  }
  return told.value;
};

function* work(turn: Turn): Part<Reply> {
  const box = new Toolbox(turn);
  const plan = initialTodos(turn, box);
  const seen = yield* survey(turn, box, plan);
  const todos = seen.runner === null || !box.canRun ? withoutTests(plan) : plan;
  const intent = intentOf(turn.prompt);
  if (!box.canChange || intent === 'answer') {
    return yield* report(box, todos, foundWords(turn.prompt, seen, turn.planOnly));
  }
  const tested = yield* firstTests(box, seen, todos);
  const failed = tested?.outcome.status === 'failed';
  let mended: Mended | null = null;
  if (intent === 'mend' && tested !== null && failed) {
    mended = yield* mend(box, seen, tested, { work: advance(todos, 2), check: advance(todos, 3) });
    if (mended.fix !== null) return yield* report(box, todos, mendedWords(mended));
  }
  return yield* note(turn, box, seen, todos, tested, mended);
}

function* firstTests(box: Toolbox, seen: Survey, todos: Todo[]): Part<Tested | null> {
  if (seen.runner === null || !box.canRun) return null;
  return yield* runTests(box, seen.runner, advance(todos, 1), {
    think: `The tests run with ${seen.runner.command}. I want to know how they stand before I change anything.`,
    say: 'I run the tests before I change anything.',
  });
}

function* note(
  turn: Turn,
  box: Toolbox,
  seen: Survey,
  todos: Todo[],
  tested: Tested | null,
  mended: Mended | null,
): Part<Reply> {
  const change = noteFor(turn.prompt, seen, tested);
  const results = yield {
    think: `A script cannot carry this request out. I can leave a useful note in ${change.file}.`,
    say: `I write a note to ${change.file}.`,
    calls: [...box.todos(advance(todos, 2)), ...changeCalls(box, change)],
  };
  const made = changed(results);
  const checked = made ? yield* lastTests(box, todos, tested) : tested;
  return yield* report(box, todos, notedWords(turn.prompt, change, made, checked, mended));
}

/** Worth the time only where they passed before: otherwise they say nothing about this change. */
function* lastTests(box: Toolbox, todos: Todo[], before: Tested | null): Part<Tested | null> {
  if (before?.outcome.status !== 'passed') return before;
  return yield* runTests(box, before.runner, advance(todos, 3), {
    think: 'The tests passed before. They should still pass.',
  });
}

function changeCalls(box: Toolbox, change: Change) {
  return change.kind === 'create'
    ? box.create(change.file, change.text)
    : box.edit(change.file, change.before, change.after);
}

/** All items done, then the last word. */
function* report(box: Toolbox, todos: Todo[], words: string): Part<Reply> {
  const calls = box.todos(advance(todos, todos.length));
  if (calls.length > 0) yield { think: 'All is done.', calls };
  return { say: words };
}
