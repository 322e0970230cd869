/** Tries small, well-known fixes for a failing test, and keeps only one that makes the tests pass. */
import type { Failing } from '../outcome.ts';
import { fileText } from '../tool-output.ts';
import { isTestFile } from '../runner.ts';
import type { StepGenerator } from '../step-generator.ts';
import type { ProjectInfo } from '../inspect-project.ts';
import { type TestRun, runTests } from '../run-tests.ts';
import { type Todo, type AgentTools, allChangesApplied, outputOf } from '../agent-tools.ts';
import { type Candidate, candidatesFor } from './candidates.ts';
import { calledNames, importedFiles, listedFile } from './related-files.ts';

const MAX_ATTEMPTS = 4;
const MAX_REEXPORTED = 6;

export interface FixAttempt {
  fix: Candidate | null;
  failing: Failing | null;
  attempts: number;
  testRun: TestRun;
}

export function* fixTest(
  tools: AgentTools,
  project: ProjectInfo,
  testRun: TestRun,
  todos: { work: Todo[]; check: Todo[] },
): StepGenerator<FixAttempt> {
  const failing = testRun.outcome.failing[0] ?? null;
  const found = yield* findCandidates(tools, project, failing, todos.work);
  let attempts = 0;
  for (const candidate of found.slice(0, MAX_ATTEMPTS)) {
    attempts += 1;
    const edited = yield {
      think: `${candidate.file}:${candidate.line} may be the cause: ${candidate.why}. I’ll change \`${candidate.oldLine}\` to \`${candidate.newLine}\` and run the tests.`,
      say: `Let me try a fix in ${candidate.file}, line ${candidate.line}.`,
      calls: tools.edit(candidate.file, candidate.before, candidate.after),
    };
    if (!allChangesApplied(edited)) continue;
    const again = yield* runTests(tools, testRun.runner, todos.check, {
      think: 'Let me run the tests again.',
    });
    if (again.outcome.status === 'passed') {
      return { fix: candidate, failing, attempts, testRun: again };
    }
    yield {
      think: 'That was not it. I’ll revert the change.',
      calls: tools.edit(candidate.file, candidate.after, candidate.before),
    };
  }
  return { fix: null, failing, attempts, testRun };
}

function* findCandidates(
  tools: AgentTools,
  project: ProjectInfo,
  failing: Failing | null,
  todos: Todo[],
): StepGenerator<Candidate[]> {
  if (failing === null) return [];
  const testFile =
    listedFile(failing.file, project.files) ??
    project.files.find((file) => isTestFile(file)) ??
    null;
  if (testFile === null) return [];
  const testResults = yield {
    think: `The test "${failing.title}" fails. I’ll read it, then the code that it calls.`,
    say: `The test "${failing.title}" fails. Let me read it and the code behind it.`,
    calls: [...tools.todos(todos), ...tools.read(testFile)],
  };
  const test = fileText(outputOf(testResults, 'read'))?.text ?? '';
  const called = calledNames(test, failing.title);
  const direct = yield* readSources(
    tools,
    importedFiles(testFile, test, project.files),
    called,
    failing,
  );
  if (direct.candidates.length > 0) return direct.candidates;
  // A test often imports an index file that only re-exports.
  const reexported = [...direct.sources].flatMap(([file, text]) =>
    importedFiles(file, text, project.files),
  );
  const unseen = reexported.filter((file) => !direct.sources.has(file)).slice(0, MAX_REEXPORTED);
  return (yield* readSources(tools, unseen, called, failing)).candidates;
}

interface SourcesRead {
  sources: Map<string, string>;
  candidates: Candidate[];
}

function* readSources(
  tools: AgentTools,
  files: string[],
  called: ReadonlySet<string>,
  failing: Failing,
): StepGenerator<SourcesRead> {
  if (files.length === 0) return { sources: new Map(), candidates: [] };
  const results = yield {
    think: `The test covers ${files.join(', ')}.`,
    calls: files.flatMap((file) => tools.read(file)),
  };
  const sources = new Map(
    files.flatMap((file, index) => {
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
