/** The first two steps: list the files, then read the ones that describe the project. */
import type { Turn } from '../../script/script.ts';
import { intentOf, keywordsOf, quote } from './intent.ts';
import { type Hit, fileText, filesOf, hitsOf } from './tool-output.ts';
import { MANIFESTS, type Runner, findRunner } from './runner.ts';
import type { StepGenerator } from './step-generator.ts';
import { type Todo, type AgentTools, outputOf } from './agent-tools.ts';

export interface ProjectInfo {
  files: string[];
  /** Contents of the files that could be read, by path. */
  texts: Map<string, string>;
  /** Files that were read only in part. */
  partial: Set<string>;
  hits: Hit[];
  runner: Runner | null;
}

const README = /^(readme|contributing|agents|notes)(\.(md|markdown|txt|rst))?$/i;
const MAX_READ = 6;
const RUN_TESTS = 'Run the tests';

export function* inspectProject(
  turn: Turn,
  tools: AgentTools,
  todos: Todo[],
): StepGenerator<ProjectInfo> {
  const keywords = keywordsOf(turn.prompt);
  const listing = yield {
    think: `I am a scripted demo model with a fixed plan. The request is "${quote(turn.prompt, 120)}". First, let me see what is in the repository.`,
    say: 'Let me look around the repository first.',
    calls: [
      ...tools.todos(todos),
      ...tools.list(),
      ...(keywords.length === 0 ? [] : tools.search(`(?i)(${keywords.join('|')})`)),
    ],
  };
  const relative = (path: string): string => tools.relative(path);
  const files = filesOf(outputOf(listing, 'glob'), relative);
  const hits = hitsOf(outputOf(listing, 'grep'), relative);
  const project: ProjectInfo = { files, texts: new Map(), partial: new Set(), hits, runner: null };
  const wanted = files
    .filter((file) => README.test(file) || MANIFESTS.includes(file))
    .slice(0, MAX_READ);
  const calls = wanted.flatMap((file) => tools.read(file));
  if (calls.length > 0) {
    const results = yield {
      think: `${files.length} files. I’ll read the ones that describe the project and its tests.`,
      calls,
    };
    for (const [index, file] of wanted.entries()) {
      const read = fileText(outputOf(byInput(results, tools.path(file)), 'read'));
      if (read === null) continue;
      project.texts.set(wanted[index] ?? file, read.text);
      if (read.partial) project.partial.add(file);
    }
  }
  return { ...project, runner: findRunner(files, project.texts) };
}

/** Finds results by the path of their call, as they may arrive in another order. */
function byInput<R extends { input: unknown }>(results: R[], path: string): R[] {
  return results.filter(({ input }) => JSON.stringify(input).includes(JSON.stringify(path)));
}

function item(content: string, status: Todo['status'] = 'pending'): Todo {
  return { content, status };
}

export function initialTodos(turn: Turn, tools: AgentTools): Todo[] {
  const inspect = item('Look around the repository', 'in_progress');
  const intent = intentOf(turn.prompt);
  if (!tools.canChange || intent === 'answer') return [inspect, item('Report the findings')];
  const work = intent === 'fix' ? 'Find the cause and fix it' : 'Make a small change';
  return [inspect, item(RUN_TESTS), item(work), item('Check the result')];
}

/** Completes the first `done` items and starts the next one; cancelled items stay cancelled. */
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

/** Cancels the item for tests that cannot run: the list must not claim that they ran. */
export function withoutTests(todos: Todo[]): Todo[] {
  return todos.map((todo) =>
    todo.content === RUN_TESTS ? { ...todo, status: 'cancelled' as const } : todo,
  );
}
