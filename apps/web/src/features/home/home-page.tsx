import { Page } from '../../ui/page.tsx';
import { StateCard } from '../system/state-card.tsx';
import { Pointers } from './pointers.tsx';
import { StraightLine } from './straight-line.tsx';

export const HomePage = () => (
  <Page title="Ship" className="space-y-10 md:space-y-14">
    <div className="max-w-2xl">
      <h1 className="text-2xl font-semibold tracking-[-0.02em] text-balance md:text-3xl">
        <span className="block">Hand off a task.</span>{' '}
        <span className="block">Get back a draft pull request.</span>
      </h1>
      <p className="mt-4 text-lg text-pretty text-muted">
        Ship gives an agent your repository and an isolated sandbox. It works alone, runs the tests,
        and opens a draft pull request for you to review.
      </p>
    </div>
    <StraightLine />
    <div className="grid gap-4 lg:grid-cols-2">
      <StateCard />
      <Pointers />
    </div>
  </Page>
);
