import { describe, expect, test } from 'vitest';
import { apiWorldWithPull, at } from './support/api-world.ts';
import { failure } from './support/forge.ts';
import { git } from './support/git.ts';

const world = apiWorldWithPull();

describe('issues, comments, labels', () => {
  test('an issue from open to closed', async () => {
    const { data: issue } = await world.octokit.rest.issues.create({
      ...at,
      title: 'Bug',
      body: 'b',
      labels: ['bug'],
      assignees: ['local'],
    });
    expect(issue).toMatchObject({
      state: 'open',
      labels: [{ name: 'bug' }],
      assignees: [{ login: 'local' }],
    });
    const issue_number = issue.number;
    const { data: comment } = await world.octokit.rest.issues.createComment({
      ...at,
      issue_number,
      body: 'hello',
    });
    await world.octokit.rest.issues.updateComment({
      ...at,
      comment_id: comment.id,
      body: 'hello again',
    });
    expect(
      (await world.octokit.rest.issues.listComments({ ...at, issue_number })).data.map(
        (one) => one.body,
      ),
    ).toEqual(['hello again']);
    expect(
      (await world.octokit.rest.issues.getComment({ ...at, comment_id: comment.id })).data.body,
    ).toBe('hello again');
    expect((await world.octokit.rest.issues.listCommentsForRepo(at)).data).toHaveLength(1);
    await world.octokit.rest.issues.addLabels({ ...at, issue_number, labels: ['later'] });
    expect(
      (await world.octokit.rest.issues.listLabelsOnIssue({ ...at, issue_number })).data.map(
        (one) => one.name,
      ),
    ).toEqual(['bug', 'later']);
    await world.octokit.rest.issues.removeLabel({ ...at, issue_number, name: 'later' });
    await world.octokit.rest.issues.setLabels({ ...at, issue_number, labels: ['x'] });
    expect((await world.octokit.rest.issues.listForRepo({ ...at, labels: 'x' })).data).toHaveLength(
      1,
    );
    await world.octokit.rest.issues.removeAllLabels({ ...at, issue_number });
    await world.octokit.rest.issues.createLabel({
      ...at,
      name: 'made',
      color: 'ff0000',
      description: 'd',
    });
    expect(
      (await failure(world.octokit.rest.issues.createLabel({ ...at, name: 'made' }))).status,
    ).toBe(422);
    expect((await world.octokit.rest.issues.getLabel({ ...at, name: 'made' })).data.color).toBe(
      'ff0000',
    );
    expect((await world.octokit.rest.issues.listLabelsForRepo(at)).data.length).toBe(4);
    await world.octokit.rest.issues.deleteLabel({ ...at, name: 'made' });
    const { data: closed } = await world.octokit.rest.issues.update({
      ...at,
      issue_number,
      state: 'closed',
      title: 'Bug!',
    });
    expect(closed).toMatchObject({
      state: 'closed',
      state_reason: 'completed',
      title: 'Bug!',
      comments: 1,
    });
    expect(
      (await world.octokit.rest.issues.get({ ...at, issue_number })).data.closed_at,
    ).not.toBeNull();
    await world.octokit.rest.issues.deleteComment({ ...at, comment_id: comment.id });
    expect(
      (await failure(world.octokit.rest.issues.getComment({ ...at, comment_id: comment.id })))
        .status,
    ).toBe(404);
  });

  test('pages, sorting, and a pull request is an issue too', async () => {
    for (const number of [1, 2, 3, 4, 5])
      await world.octokit.rest.issues.create({ ...at, title: `Issue ${number}` });
    const first = await world.octokit.rest.issues.listForRepo({
      ...at,
      per_page: 2,
      direction: 'asc',
    });
    expect(first.headers.link).toMatch(/page=2.*rel="next".*rel="last"/);
    const all = await world.octokit.paginate(world.octokit.rest.issues.listForRepo, {
      ...at,
      per_page: 2,
      state: 'all',
    });
    expect(new Set(all.map((one) => one.number)).size).toBe(all.length);
    expect(all.filter((one) => one.pull_request !== undefined)).toHaveLength(1);
  });
});

describe('reviews, statuses, checks', () => {
  test('reviews and comments on lines', async () => {
    const { number: pull_number } = (await world.octokit.rest.pulls.list(at)).data[0] ?? {
      number: 0,
    };
    const on = { ...at, pull_number };
    expect(
      (await failure(world.octokit.rest.pulls.createReview({ ...on, event: 'APPROVE' }))).status,
    ).toBe(422);
    const { data: review } = await world.octokit.rest.pulls.createReview({
      ...on,
      event: 'COMMENT',
      body: 'nice',
      comments: [{ path: 'späce ü.txt', line: 1, body: 'why ü?' }],
    });
    expect(review).toMatchObject({ state: 'COMMENTED', body: 'nice' });
    expect((await world.octokit.rest.pulls.listReviews(on)).data).toHaveLength(1);
    expect(
      (await world.octokit.rest.pulls.getReview({ ...on, review_id: review.id })).data.id,
    ).toBe(review.id);
    expect(
      (await world.octokit.rest.pulls.listCommentsForReview({ ...on, review_id: review.id })).data,
    ).toMatchObject([{ body: 'why ü?' }]);
    const commit_id = (await world.octokit.rest.pulls.get(on)).data.head.sha;
    const { data: comment } = await world.octokit.rest.pulls.createReviewComment({
      ...on,
      commit_id,
      path: 'späce ü.txt',
      line: 1,
      side: 'RIGHT',
      body: 'second',
    });
    expect(comment).toMatchObject({ line: 1, diff_hunk: '@@ -0,0 +1 @@\n+ü' });
    const { data: answer } = await world.octokit.rest.pulls.createReplyForReviewComment({
      ...on,
      comment_id: comment.id,
      body: 'third',
    });
    expect(answer.in_reply_to_id).toBe(comment.id);
    await world.octokit.rest.pulls.updateReviewComment({
      ...at,
      comment_id: answer.id,
      body: '3rd',
    });
    expect(
      (await world.octokit.rest.pulls.listReviewComments(on)).data.map((one) => one.body),
    ).toEqual(['why ü?', 'second', '3rd']);
    await world.octokit.rest.pulls.deleteReviewComment({ ...at, comment_id: answer.id });
    const outside = { ...on, commit_id, path: 'späce ü.txt', line: 99, body: 'x' };
    expect((await failure(world.octokit.rest.pulls.createReviewComment(outside))).status).toBe(422);
    expect(
      (await world.octokit.rest.pulls.requestReviewers({ ...on, reviewers: ['grace'] })).data
        .requested_reviewers,
    ).toMatchObject([{ login: 'grace' }]);
    expect((await world.octokit.rest.pulls.listRequestedReviewers(on)).data.users).toHaveLength(1);
    expect(
      (await failure(world.octokit.rest.pulls.requestReviewers({ ...on, reviewers: ['local'] })))
        .status,
    ).toBe(422);
    await world.octokit.rest.pulls.removeRequestedReviewers({ ...on, reviewers: ['grace'] });
    const pending = await world.octokit.rest.pulls.createReview({ ...on, body: 'later' });
    expect(pending.data.state).toBe('PENDING');
    const sent = await world.octokit.rest.pulls.submitReview({
      ...on,
      review_id: pending.data.id,
      event: 'COMMENT',
    });
    expect(sent.data.state).toBe('COMMENTED');
  });

  test('statuses and check runs', async () => {
    const sha = await git(world.work, 'rev-parse', 'main');
    expect(
      (await world.octokit.rest.repos.getCombinedStatusForRef({ ...at, ref: 'main' })).data.state,
    ).toBe('pending');
    const status = (context: string, state: 'success' | 'failure') =>
      world.octokit.rest.repos.createCommitStatus({
        ...at,
        sha,
        state,
        context,
        description: 'd',
        target_url: 'https://example.com/1',
      });
    await status('ci', 'failure');
    await status('ci', 'success');
    await status('lint', 'success');
    const { data } = await world.octokit.rest.repos.getCombinedStatusForRef({ ...at, ref: 'main' });
    expect(data).toMatchObject({ state: 'success', total_count: 2 });
    expect(
      (await world.octokit.rest.repos.listCommitStatusesForRef({ ...at, ref: sha })).data,
    ).toHaveLength(3);
    const { data: run } = await world.octokit.rest.checks.create({
      ...at,
      name: 'test',
      head_sha: sha,
      status: 'in_progress',
    });
    const done = await world.octokit.rest.checks.update({
      ...at,
      check_run_id: run.id,
      conclusion: 'failure',
      output: { title: 't', summary: 's' },
    });
    expect(done.data).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      output: { title: 't' },
    });
    expect(
      (await world.octokit.rest.checks.get({ ...at, check_run_id: run.id })).data.conclusion,
    ).toBe('failure');
    expect(
      (await world.octokit.rest.checks.listForRef({ ...at, ref: 'main' })).data.total_count,
    ).toBe(1);
    expect(
      (
        await world.octokit.rest.repos.listPullRequestsAssociatedWithCommit({
          ...at,
          commit_sha: sha,
        })
      ).data,
    ).toEqual([]);
  });
});
