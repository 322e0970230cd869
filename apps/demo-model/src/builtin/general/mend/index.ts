/** Corrects a failing test's source by small known patterns, and keeps only what makes the tests pass. */
import type { Failing } from '../outcome.ts';
import { fileText } from '../reading.ts';
import { isTestFile } from '../runner.ts';
import type { Part } from '../story.ts';
import type { Survey } from '../survey.ts';
import { type Tested, runTests } from '../testing.ts';
import { type Todo, type Toolbox, changed, outputOf } from '../toolbox.ts';
import { type Candidate, candidatesFor } from './candidates.ts';
import { calledNames, importedFiles, listedFile } from './suspects.ts';

const MAX_ATTEMPTS = 4;
const MAX_BEHIND = 6;

export interface Mended {
  fix: Candidate | null;
  failing: Failing | null;
  attempts: number;
  tested: Tested;
}

export function* mend(
  box: Toolbox,
  seen: Survey,
  tested: Tested,
  todos: { work: Todo[]; check: Todo[] },
): Part<Mended> {
  const failing = tested.outcome.failing[0] ?? null;
  const found = yield* findCandidates(box, seen, failing, todos.work);
  let attempts = 0;
  for (const candidate of found.slice(0, MAX_ATTEMPTS)) {
    attempts += 1;
    const edited = yield {
      think: `${candidate.file}:${candidate.line} may be the cause: ${candidate.why}. I change \`${candidate.oldLine}\` to \`${candidate.newLine}\` and let the tests judge.`,
      say: `I try a correction in ${candidate.file}, line ${candidate.line}.`,
      calls: box.edit(candidate.file, candidate.before, candidate.after),
    };
    if (!changed(edited)) continue;
    const again = yield* runTests(box, tested.runner, todos.check, {
      think: 'Now the tests again.',
    });
    if (again.outcome.status === 'passed') {
      return { fix: candidate, failing, attempts, tested: again };
    }
    yield {
      think: 'That was not it. I take the change back.',
      calls: box.edit(candidate.file, candidate.after, candidate.before),
    };
  }
  return { fix: null, failing, attempts, tested };
}

function* findCandidates(
  box: Toolbox,
  seen: Survey,
  failing: Failing | null,
  todos: Todo[],
): Part<Candidate[]> {
  if (failing === null) return [];
  const testFile =
    listedFile(failing.file, seen.files) ?? seen.files.find((file) => isTestFile(file)) ?? null;
  if (testFile === null) return [];
  const testResults = yield {
    think: `The test "${failing.title}" fails. I read it, then the code that it calls.`,
    say: `The test "${failing.title}" fails. I read it and the code behind it.`,
    calls: [...box.todos(todos), ...box.read(testFile)],
  };
  const test = fileText(outputOf(testResults, 'read'))?.text ?? '';
  const called = calledNames(test, failing.title);
  const direct = yield* examine(box, importedFiles(testFile, test, seen.files), called, failing);
  if (direct.candidates.length > 0) return direct.candidates;
  // A test often imports an index file that only passes things on.
  const behind = [...direct.sources].flatMap(([file, text]) =>
    importedFiles(file, text, seen.files),
  );
  const unseen = behind.filter((file) => !direct.sources.has(file)).slice(0, MAX_BEHIND);
  return (yield* examine(box, unseen, called, failing)).candidates;
}

interface Examined {
  sources: Map<string, string>;
  candidates: Candidate[];
}

function* examine(
  box: Toolbox,
  suspects: string[],
  called: ReadonlySet<string>,
  failing: Failing,
): Part<Examined> {
  if (suspects.length === 0) return { sources: new Map(), candidates: [] };
  const results = yield {
    think: `It is about ${suspects.join(', ')}.`,
    calls: suspects.flatMap((file) => box.read(file)),
  };
  const sources = new Map(
    suspects.flatMap((file, index) => {
      const text =
        results[index]?.failed === false ? fileText(results[index].text)?.text : undefined;
      return text === undefined ? [] : [[file, text] as const];
    }),
  );
  const candidates = [...sources]
    .flatMap(([file, text]) => candidatesFor(file, text, called, failing.hint))
    .sort((one, other) => other.score - one.score);
  return { sources, candidates };
}
