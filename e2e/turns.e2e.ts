import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScriptFile } from '@ship/demo-model';
import type { Page } from '@playwright/test';
import { callApi, expectAccessible, createRepository } from './app.ts';
import { Ship, expect, test } from './ship.ts';

/** Starts a sandbox and the real agent: seconds on an idle machine, minutes on a busy one. */
const AGENT_TIMEOUT = { timeout: 120_000 };

const SCRIPT: ScriptFile = {
  name: 'turns',
  rules: [
    {
      name: 'question',
      when: { prompt: 'Ask me' },
      steps: [
        {
          calls: [
            {
              tool: 'question',
              input: {
                questions: [
                  {
                    question: 'Which colour?',
                    header: 'Colour',
                    options: [
                      { label: 'Red', description: 'Warm' },
                      { label: 'Blue', description: 'Cold' },
                    ],
                  },
                ],
              },
            },
          ],
        },
        { say: 'Painted: {{result.0}}' },
      ],
    },
    {
      name: 'refused once',
      when: { prompt: 'Fail once' },
      steps: [{ faults: [{ kind: 'unauthorized', times: 1 }], say: 'Back again.' }],
    },
    {
      name: 'long',
      when: { prompt: 'Take long' },
      steps: [
        {
          calls: [
            { tool: 'bash', input: { command: 'echo first line; sleep 600', timeout: 700_000 } },
          ],
        },
        { say: 'Done.' },
      ],
    },
    {
      name: 'plan',
      when: { prompt: 'Plan a wall' },
      steps: [{ say: 'First the **bricks**, then the mortar.' }],
    },
    { name: 'other', when: { prompt: '*' }, steps: [{ say: 'As you say.' }] },
  ],
};

let folder = '';
let repository = '';
let ship: Ship;
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ship-e2e-turns-'));
  repository = createRepository();
  writeFileSync(join(folder, 'script.json'), JSON.stringify(SCRIPT));
  ship = await Ship.launch('--demo-script', join(folder, 'script.json'));
});
test.afterAll(async () => {
  await ship.remove();
  for (const path of [folder, repository]) rmSync(path, { recursive: true, force: true });
});

async function openSession(page: Page, prompt: string, more = {}): Promise<string> {
  await ship.signIn(page.context());
  await page.goto(`${ship.url}/`);
  const requestId = `e2e-turns-${Date.now()}`;
  const body = { requestId, repository, prompt, model: 'demo/demo', ...more };
  const sessionId = String((await callApi(page, 'POST', '/sessions', body))?.['sessionId']);
  await page.goto(`${ship.url}/sessions/${sessionId}`);
  return sessionId;
}

async function sendPrompt(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(text);
  await page.keyboard.press('Enter');
}

test('[WB16] one click answers a question, and a failure has a Retry button', async ({ page }) => {
  test.setTimeout(3 * AGENT_TIMEOUT.timeout);
  await openSession(page, 'Ask me what to do');
  const timeline = page.getByRole('region', { name: 'Timeline' });
  const question = timeline.getByRole('form', { name: 'Question from the agent' });
  await expect(question).toContainText('Which colour?', AGENT_TIMEOUT);
  await expectAccessible(page);
  await question.getByRole('button', { name: /^Blue/ }).click();
  await expect(timeline.getByText(/Painted: .*Blue/)).toBeVisible(AGENT_TIMEOUT);
  await expect(question).toHaveCount(0);

  await sendPrompt(page, 'Fail once, please');
  const retry = timeline.getByRole('button', { name: 'Retry', exact: true });
  await expect(retry).toBeVisible(AGENT_TIMEOUT);
  await expect(timeline.getByText(/refused the credentials/).first()).toBeVisible();
  await expectAccessible(page);
  await retry.click();
  await expect(timeline.getByText('Back again.')).toBeVisible(AGENT_TIMEOUT);
  await expect(retry).toHaveCount(0);
});

test('[WB16] the model is fixed during a turn; queued prompts can be edited and moved, pause when the agent is stopped, and resume in order', async ({
  page,
}) => {
  test.setTimeout(3 * AGENT_TIMEOUT.timeout);
  const sessionId = await openSession(page, 'Take long');
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.getByText(/sleep 600/).first()).toBeVisible(AGENT_TIMEOUT);
  const printed = timeline.locator('pre', { hasText: /^first line/ });
  await expect(printed).toBeVisible(AGENT_TIMEOUT);
  // A client that connects in the middle receives the earlier output.
  await page.reload();
  await expect(printed).toBeVisible(AGENT_TIMEOUT);

  await page.getByRole('button', { name: 'Model: demo/demo' }).click();
  const model = page.getByRole('dialog', { name: 'Model' });
  await expect(model).toContainText('Stop it or wait until it is done');
  await expect(model.getByRole('combobox')).toHaveCount(0);
  await page.keyboard.press('Escape');
  // The server enforces it too.
  const refused = await page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(path ?? '', { method: 'PUT', headers, body: body ?? '' })).status;
    },
    [
      `/api/sessions/${sessionId}/model`,
      JSON.stringify({ requestId: `e2e-model-${Date.now()}`, model: 'demo/demo' }),
    ],
  );
  expect(refused).toBe(409);

  const queue = page.getByRole('region', { name: 'Queue' });
  for (const text of ['First thing', 'Second thing']) {
    await sendPrompt(page, text);
    await expect(queue).toContainText(text, AGENT_TIMEOUT);
  }
  await queue.getByRole('button', { name: 'Move up: Second thing' }).click();
  await expect(queue.getByRole('listitem').first()).toContainText('Second thing', AGENT_TIMEOUT);
  await queue.getByRole('button', { name: 'Edit: First thing' }).click();
  await queue.getByRole('textbox').fill('Last thing');
  await queue.getByRole('button', { name: 'Save' }).click();
  await expect(queue.getByRole('listitem')).toContainText(
    ['Second thing', 'Last thing'],
    AGENT_TIMEOUT,
  );
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(timeline.getByText(/stopped the agent/)).toBeVisible(AGENT_TIMEOUT);
  await expect(queue).toContainText('2 queued', AGENT_TIMEOUT);
  await expectAccessible(page);
  await queue.getByRole('button', { name: 'Resume' }).click();
  await expect(timeline.getByText('As you say.')).toHaveCount(2, AGENT_TIMEOUT);
  const text = await timeline.innerText();
  expect(text.indexOf('Second thing')).toBeGreaterThan(text.indexOf('stopped the agent'));
  expect(text.indexOf('Last thing')).toBeGreaterThan(text.indexOf('Second thing'));
  expect(text).not.toContain('First thing');
});

test('[WB16] a plan is edited and approved, and the work starts', async ({ page }) => {
  test.setTimeout(3 * AGENT_TIMEOUT.timeout);
  await openSession(page, 'Plan a wall', { mode: 'plan' });
  const plan = page.getByRole('region', { name: 'Timeline' }).getByRole('region', { name: 'Plan' });
  await expect(plan).toContainText('First the bricks, then the mortar.', AGENT_TIMEOUT);
  await plan.getByRole('button', { name: 'Edit' }).click();
  await plan.getByRole('textbox', { name: 'Edit the plan' }).fill('First the mortar.');
  await plan.getByRole('button', { name: 'Approve with changes' }).click();
  await expect(plan).toContainText('Approved with changes.', AGENT_TIMEOUT);
  await expect(page.getByText('As you say.')).toBeVisible(AGENT_TIMEOUT);
});
