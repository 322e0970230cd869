import type { NewSession } from '../../api/session.ts';

interface TaskTexts {
  readonly prompt: string;
  readonly repository: string;
  readonly base: string;
  readonly model: string;
  readonly budget: string;
}

type TaskRead =
  | { readonly ok: true; readonly session: Omit<NewSession, 'requestId' | 'source'> }
  | { readonly ok: false; readonly problems: Partial<Record<keyof TaskTexts, string>> };

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

/** Parses the form into a session, or into problems by field. */
export function readTask({ prompt, repository, base, model, budget }: TaskTexts): TaskRead {
  const problems: Partial<Record<keyof TaskTexts, string>> = {};
  if (prompt.trim() === '') problems.prompt = 'Describe the task.';
  if (repository.trim() === '') problems.repository = 'Choose a repository.';
  if (model.trim() !== '' && !/^[^/\s]+\/\S+$/.test(model.trim()))
    problems.model = 'Must look like provider/model.';
  const amount = budget.trim() === '' ? null : Number(budget.trim().replace(/^\$/, ''));
  if (amount !== null && !(amount > 0 && amount <= 1_000_000))
    problems.budget = 'Must be an amount above 0.';
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  return {
    ok: true,
    session: {
      prompt: prompt.trim(),
      repository: repository.trim(),
      base: orNull(base),
      model: orNull(model),
      budgetUsd: amount,
    },
  };
}

const key = 'ship.repository';

/** People hand off several tasks to the same repository. */
export function rememberedRepository(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

export function rememberRepository(location: string): void {
  try {
    localStorage.setItem(key, location);
  } catch {
    // Storage may be denied; the next task starts without a repository.
  }
}
