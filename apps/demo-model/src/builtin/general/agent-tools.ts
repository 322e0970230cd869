/** Builds calls of the agent's tools, and none for tools that the agent does not offer. Pure. */
import type { CallPlan, Result, Turn } from '../../script/script.ts';

export interface Todo {
  content: string;
  status: 'pending' | 'in_progress' | 'completed' | 'cancelled';
}

const COMMAND_TIMEOUT_MS = 120_000;

export class AgentTools {
  readonly #turn: Turn;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  has(...tools: string[]): boolean {
    return tools.every((tool) => this.#turn.tools.has(tool));
  }

  get canChange(): boolean {
    return !this.#turn.planOnly && (this.has('edit', 'write') || this.has('apply_patch'));
  }

  get canRun(): boolean {
    return !this.#turn.planOnly && this.has('bash');
  }

  path(file: string): string {
    return this.#turn.folder === null ? file : `${this.#turn.folder}/${file}`;
  }

  /** Converts the path of a tool to a path within the repository. */
  relative(path: string): string {
    const prefix = `${this.#turn.folder ?? '.'}/`;
    return path.startsWith(prefix) ? path.slice(prefix.length) : path;
  }

  todos(todos: Todo[]): CallPlan[] {
    const withPriority = todos.map((todo) => ({ ...todo, priority: 'medium' }));
    return this.#call('todowrite', { todos: withPriority });
  }

  list(): CallPlan[] {
    return this.#call('glob', { pattern: '**/*' });
  }

  search(pattern: string): CallPlan[] {
    return this.#call('grep', { pattern });
  }

  read(file: string): CallPlan[] {
    return this.#call('read', { filePath: this.path(file) });
  }

  /** Prints the exit code, as the tool returns only the output of a command. */
  run(command: string, description: string): CallPlan[] {
    return this.#call('bash', {
      command: `${command}; code=$?; echo "exit code $code"; exit $code`,
      description,
      timeout: COMMAND_TIMEOUT_MS,
    });
  }

  edit(file: string, before: string, after: string): CallPlan[] {
    if (!this.has('apply_patch')) {
      return this.#call('edit', {
        filePath: this.path(file),
        oldString: before,
        newString: after,
      });
    }
    const lines = [...prefixLines('-', before), ...prefixLines('+', after)];
    return this.#patch([`*** Update File: ${file}`, '@@', ...lines]);
  }

  create(file: string, text: string): CallPlan[] {
    if (!this.has('apply_patch')) {
      return this.#call('write', { filePath: this.path(file), content: text });
    }
    return this.#patch([`*** Add File: ${file}`, ...prefixLines('+', text.replace(/\n$/, ''))]);
  }

  #patch(body: string[]): CallPlan[] {
    const patchText = ['*** Begin Patch', ...body, '*** End Patch'].join('\n');
    return this.#call('apply_patch', { patchText });
  }

  #call(tool: string, input: Record<string, unknown>): CallPlan[] {
    return this.has(tool) ? [{ tool, input }] : [];
  }
}

function prefixLines(sign: '+' | '-', text: string): string[] {
  return text.split('\n').map((line) => sign + line);
}

/** The output of a tool; null when it failed or was not called. */
export function outputOf(results: Result[], tool: string, index = 0): string | null {
  const result = results.filter((candidate) => candidate.tool === tool)[index];
  return result === undefined || result.failed ? null : result.text;
}

/** True when every change of the step was applied. */
export function allChangesApplied(results: Result[]): boolean {
  const changes = results.filter((result) => /^(edit|write|apply_patch)$/.test(result.tool));
  return changes.length > 0 && changes.every((result) => !result.failed);
}
