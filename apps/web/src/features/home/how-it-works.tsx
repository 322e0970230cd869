import { GitPullRequestDraft, Package, SquarePen, Waypoints } from 'lucide-react';
import { BranchDrawing } from './branch-drawing.tsx';

const steps = [
  { title: 'Task', text: 'A prompt, an issue or a card.', Icon: SquarePen },
  { title: 'Sandbox', text: 'Isolated, with no keys inside.', Icon: Package },
  { title: 'Agent', text: 'Edits, runs the tests, commits.', Icon: Waypoints },
  { title: 'Draft pull request', text: 'Yours to review and merge.', Icon: GitPullRequestDraft },
] as const;

/** The steps of a task: a drawing above four columns, or a vertical line on narrow screens. */
export const HowItWorks = () => (
  <section aria-labelledby="line" className="@container">
    <h2 id="line" className="mb-4 text-sm font-medium text-faint">
      How it works
    </h2>
    <BranchDrawing />
    <ol className="grid @2xl:grid-cols-4">
      {steps.map(({ title, text, Icon }) => (
        <li
          key={title}
          className="relative @max-2xl:pb-5 @max-2xl:pl-9 @max-2xl:not-last:before:absolute @max-2xl:not-last:before:inset-y-0 @max-2xl:not-last:before:left-[11px] @max-2xl:not-last:before:w-0.5 @max-2xl:not-last:before:bg-accent/40 @2xl:pr-6"
        >
          <span className="absolute top-0 left-0 grid size-6 place-items-center rounded-full border-2 border-accent bg-canvas text-accent @2xl:hidden">
            <Icon aria-hidden className="size-3" />
          </span>
          <h3 className="flex items-center gap-2 font-medium">
            <Icon aria-hidden className="hidden size-4 text-accent @2xl:block" />
            {title}
          </h3>
          <p className="mt-1 text-sm text-muted">{text}</p>
        </li>
      ))}
    </ol>
  </section>
);
