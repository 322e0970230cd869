/** The first two steps: look round, then read what tells what the project is. */
import type { Turn } from '../../script/script.ts';
import { intentOf, keywordsOf, quote } from './intent.ts';
import { type Hit, fileText, filesOf, hitsOf } from './reading.ts';
import { MANIFESTS, type Runner, findRunner } from './runner.ts';
import type { Part } from './story.ts';
import { type Todo, type Toolbox, outputOf } from './toolbox.ts';

export interface Survey {
  files: string[];
  /** Those of the read files that could be read, by path. */
  texts: Map<string, string>;
  /** Files of which only a part was seen. */
  partial: Set<string>;
  hits: Hit[];
  runner: Runner | null;
}

const README = /^(readme|contributing|agents|notes)(\.(md|markdown|txt|rst))?$/i;
const MAX_READ = 6;
const RUN_TESTS = 'Run the tests';

export function* survey(turn: Turn, box: Toolbox, todos: Todo[]): Part<Survey> {
  const keywords = keywordsOf(turn.prompt);
  const looked = yield {
    think: `I am a scripted demo model: I follow a fixed plan. The request is "${quote(turn.prompt, 120)}". First I look at what is in the repository.`,
    say: 'I look round in the repository first.',
    calls: [
      ...box.todos(todos),
      ...box.list(),
      ...(keywords.length === 0 ? [] : box.search(`(?i)(${keywords.join('|')})`)),
    ],
  };
  const relative = (path: string): string => box.relative(path);
  const files = filesOf(outputOf(looked, 'glob'), relative);
  const hits = hitsOf(outputOf(looked, 'grep'), relative);
  const seen: Survey = { files, texts: new Map(), partial: new Set(), hits, runner: null };
  const wanted = files
    .filter((file) => README.test(file) || MANIFESTS.includes(file))
    .slice(0, MAX_READ);
  const calls = wanted.flatMap((file) => box.read(file));
  if (calls.length > 0) {
    const results = yield {
      think: `${files.length} files. I read those that say what this is and how it is tested.`,
      calls,
    };
    for (const [index, file] of wanted.entries()) {
      const read = fileText(outputOf(byInput(results, box.path(file)), 'read'));
      if (read === null) continue;
      seen.texts.set(wanted[index] ?? file, read.text);
      if (read.partial) seen.partial.add(file);
    }
  }
  return { ...seen, runner: findRunner(files, seen.texts) };
}

/** Results may come in another order than the calls: each is found by the path it was asked for. */
function byInput<R extends { input: unknown }>(results: R[], path: string): R[] {
  return results.filter(({ input }) => JSON.stringify(input).includes(JSON.stringify(path)));
}

function item(content: string, status: Todo['status'] = 'pending'): Todo {
  return { content, status };
}

export function initialTodos(turn: Turn, box: Toolbox): Todo[] {
  const look = item('Look round in the repository', 'in_progress');
  const intent = intentOf(turn.prompt);
  if (!box.canChange || intent === 'answer') return [look, item('Say what was found')];
  const work = intent === 'mend' ? 'Find the cause and correct it' : 'Make a small change';
  return [look, item(RUN_TESTS), item(work), item('Check the result')];
}

/** The list with the first `done` items completed and the next one begun; what was cancelled stays so. */
export function advance(todos: Todo[], done: number): Todo[] {
  const statusOf = (index: number): Todo['status'] => {
    if (index < done) return 'completed';
    return index === done ? 'in_progress' : 'pending';
  };
  return todos.map((todo, index) => ({
    ...todo,
    status: todo.status === 'cancelled' ? 'cancelled' : statusOf(index),
  }));
}

/** A list that claims tests which were never run would be a lie. */
export function withoutTests(todos: Todo[]): Todo[] {
  return todos.map((todo) =>
    todo.content === RUN_TESTS ? { ...todo, status: 'cancelled' as const } : todo,
  );
}
