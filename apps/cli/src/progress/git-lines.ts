import { SKIP_REASONS } from '@ship/core';
import type { DurableEvent, SkippedFile } from '@ship/protocol';
import { oneLine } from './text.ts';

const MAX_TEXT = 160;

const MAX_LEFT_OUT = 600;

const leftOut = (files: readonly SkippedFile[]): string =>
  oneLine(
    `left out: ${files.map(({ path, reason }) => `${path} (${SKIP_REASONS[reason]})`).join(', ')}`,
    MAX_LEFT_OUT,
  );

/** Lines about branches, commits and pull requests. Checkpoints are too frequent to show. */
export function describeGit(event: DurableEvent): string | undefined {
  switch (event.type) {
    case 'branch.made':
      return [`branch ${event.data.branch} from ${event.data.base}`, ...(event.data.notes ?? [])]
        .map((text) => oneLine(text, MAX_TEXT))
        .join('; ');
    case 'branch.renamed':
      return `the branch is now called ${event.data.branch}`;
    case 'work.restored':
      return `the work so far was restored from its ${event.data.from}`;
    case 'commit.made': {
      const { sha, message, additions, deletions, skipped } = event.data;
      const commit = `commit ${sha.slice(0, 9)} ${oneLine(message, MAX_TEXT)} +${additions} −${deletions}`;
      return skipped.length === 0 ? commit : `${commit}; ${leftOut(skipped)}`;
    }
    case 'base.merged':
      return 'the base’s newer commits were merged in';
    case 'repository.moved':
      return event.data.to === null
        ? 'the repository has its old name again'
        : `the repository is now called ${event.data.to}`;
    case 'files.skipped':
      return leftOut(event.data.files);
    case 'checkout.noted': {
      const { submodules, initialized = [], lfsFiles } = event.data;
      const paths = initialized.map(({ path }) => path).join(', ');
      const present = paths === '' ? [] : [`checked out submodules: ${paths}`];
      const missing = submodules.map(
        ({ path, reason }) => `the submodule ${path} was not initialized: ${reason}`,
      );
      const pointers = lfsFiles === 0 ? [] : [`Git LFS: ${lfsFiles} files are pointers`];
      return oneLine([...missing, ...pointers, ...present].join('; '), MAX_TEXT);
    }
    case 'branch.deleted':
      return `deleted the branch ${event.data.branch} (${event.data.reason})`;
    case 'branch.moved-outside':
      return `someone else moved ${event.data.branch}`;
    case 'pull-request.opened': {
      const { number, draft, url } = event.data;
      return `${draft ? 'draft ' : ''}pull request #${number} ${url}`;
    }
    case 'pull-request.state-changed': {
      const { number, state, draft } = event.data;
      return `pull request #${number} is ${state === 'open' && draft ? 'a draft' : state}`;
    }
    case 'git.conflicted':
      return `conflict with ${event.data.ref} in ${oneLine(event.data.files.join(', '), MAX_TEXT)}`;
    case 'git.conflict-resolved':
      return 'the conflict is resolved';
    default:
      return undefined;
  }
}
