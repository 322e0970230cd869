import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { call, makeRepository, otherBrowser } from './app.ts';
import { sandboxOf } from './sandbox.ts';
import { Ship, expect, test } from './ship.ts';

/** Nearly 200 MB from the npm registry, once for the machine that this data folder is. */
const BROUGHT = { timeout: 150_000 };
const FILE = '/home/user/repository/notes.js';

/** Asked once and briefly: without a network npm would go on trying for minutes. */
function hasEditor(): boolean {
  const { status } = spawnSync('npm', ['view', 'code-server', 'version', '--fetch-retries=0'], {
    timeout: 20_000,
  });
  return status === 0;
}

test('[ED6] the real VS Code opens at the line that was clicked, and what is typed is in the sandbox', async ({
  browser,
  problems,
}) => {
  test.setTimeout(2 * BROUGHT.timeout);
  test.skip(!hasEditor(), 'the npm registry of this machine has no VS Code, or is out of reach');
  const repository = makeRepository();
  const ship = await Ship.launchOnline();
  try {
    const page = await otherBrowser(browser, ship);
    await page.goto('/');
    const requestId = `e2e-editor-${Date.now()}`;
    const made = await call(page, 'POST', '/sessions', { requestId, repository, title: 'Editor' });
    const sessionId = String(made?.['sessionId']);
    const sandbox = await sandboxOf(ship, sessionId);
    await sandbox.files.write(FILE, 'const word = "one";\nword;\n// three\n');

    await page.goto(`/sessions/${sessionId}?pane=editor&at=notes.js:2`);
    const code = page.frameLocator('iframe[title="VS Code in the sandbox"]');
    const lines = code.locator('.monaco-editor .view-lines').first();
    await expect(lines).toContainText('three', BROUGHT);
    await expect(code.getByText('Ln 2, Col 1')).toBeVisible(BROUGHT);
    await lines.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('word.toUpperC');
    // Said by the language server, which takes a while to start and is asked anew until it answers.
    const offered = code.locator('.suggest-widget').getByText('toUpperCase').first();
    await expect(async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Space');
      await expect(offered).toBeVisible({ timeout: 5_000 });
    }).toPass(BROUGHT);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+s');
    const whole = 'const word = "one";\nword;\n// three\nword.toUpperCase';
    await expect.poll(() => sandbox.files.read(FILE), BROUGHT).toBe(whole);
    await expect(code.getByText(/tsserver/)).toHaveCount(0);

    // Nothing of it is on the page's own origin.
    const source = await page.locator('iframe[title="VS Code in the sandbox"]').getAttribute('src');
    expect(new URL(source ?? '', ship.url).host).not.toBe(new URL(ship.url).host);
    await page.close();
  } finally {
    await ship.remove();
    rmSync(repository, { recursive: true, force: true });
    problems.length = 0;
  }
});
