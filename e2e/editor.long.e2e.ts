import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { callApi, createRepository, newSignedInPage } from './app.ts';
import { sandboxOf } from './sandbox.ts';
import { Ship, expect, test } from './ship.ts';

/** Nearly 200 MB from the npm registry, once per data folder. */
const INSTALLED = { timeout: 150_000 };
const FILE = '/home/user/repository/notes.js';

/** Asks once with a short timeout: without a network npm would retry for minutes. */
function hasEditor(): boolean {
  const { status } = spawnSync('npm', ['view', 'code-server', 'version', '--fetch-retries=0'], {
    timeout: 20_000,
  });
  return status === 0;
}

test('[ED6] the real VS Code opens at the clicked line, and its edits are saved in the sandbox', async ({
  browser,
  problems,
}) => {
  test.setTimeout(2 * INSTALLED.timeout);
  test.skip(!hasEditor(), 'the npm registry of this machine has no VS Code, or is unreachable');
  const repository = createRepository();
  const ship = await Ship.launchWithNetwork();
  try {
    const page = await newSignedInPage(browser, ship);
    await page.goto('/');
    const requestId = `e2e-editor-${Date.now()}`;
    const made = await callApi(page, 'POST', '/sessions', {
      requestId,
      repository,
      title: 'Editor',
    });
    const sessionId = String(made?.['sessionId']);
    const sandbox = await sandboxOf(ship, sessionId);
    await sandbox.files.write(FILE, 'const word = "one";\nword;\n// three\n');

    await page.goto(`/sessions/${sessionId}?pane=editor&at=notes.js:2`);
    const code = page.frameLocator('iframe[title="VS Code in the sandbox"]');
    const lines = code.locator('.monaco-editor .view-lines').first();
    await expect(lines).toContainText('three', INSTALLED);
    await expect(code.getByText('Ln 2, Col 1')).toBeVisible(INSTALLED);
    await lines.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('word.toUpperC');
    // The language server takes a while to start: request suggestions until it answers.
    const offered = code.locator('.suggest-widget').getByText('toUpperCase').first();
    await expect(async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Space');
      await expect(offered).toBeVisible({ timeout: 5_000 });
    }).toPass(INSTALLED);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+s');
    const whole = 'const word = "one";\nword;\n// three\nword.toUpperCase';
    await expect.poll(() => sandbox.files.read(FILE), INSTALLED).toBe(whole);
    await expect(code.getByText(/tsserver/)).toHaveCount(0);

    // VS Code runs on another origin than the page.
    const source = await page.locator('iframe[title="VS Code in the sandbox"]').getAttribute('src');
    expect(new URL(source ?? '', ship.url).host).not.toBe(new URL(ship.url).host);
    await page.close();
  } finally {
    await ship.remove();
    rmSync(repository, { recursive: true, force: true });
    problems.length = 0;
  }
});
