import { LONG_TIMEOUT, callApi, expectAccessible } from './app.ts';
import { expect, test } from './ship.ts';

test('[AC9] skills and MCP servers are checked, added, changed, switched and removed', async ({
  page,
}) => {
  await page.goto('/settings/agent');
  const instructions = page.getByRole('form', { name: 'Instructions' });
  await instructions.getByRole('textbox', { name: 'Instructions' }).fill('Be brief.', LONG_TIMEOUT);
  await instructions.getByRole('button', { name: 'Save' }).click();
  await expect(instructions.getByRole('status')).toHaveText('Saved', LONG_TIMEOUT);

  await page.getByRole('button', { name: 'Add a skill' }).click();
  const skill = page.getByRole('form', { name: 'Add a skill' });
  await skill.getByRole('textbox', { name: 'Name' }).fill('Release Notes');
  await skill.getByRole('textbox', { name: 'Description' }).fill('How to announce releases.');
  await skill.getByRole('textbox', { name: 'Text' }).fill('One line per change.');
  await page.getByRole('button', { name: 'Add a server' }).click();
  const server = page.getByRole('form', { name: 'Add a server' });
  await server.getByRole('textbox', { name: 'Name' }).fill('tracker');
  await server.getByRole('textbox', { name: 'Command' }).fill('npx -y "my server"');
  await server.getByRole('textbox', { name: 'Variables' }).fill('KEY={env:HOME}');
  await skill.getByRole('button', { name: 'Save' }).click();
  await server.getByRole('button', { name: 'Save' }).click();
  await expect(skill.getByText('must be lowercase letters')).toBeVisible();
  await expect(server.getByText('refer to a secret as {secret:NAME}')).toBeVisible();
  await expectAccessible(page);

  await skill.getByRole('textbox', { name: 'Name' }).fill('release-notes');
  await skill.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Change release-notes' })).toBeVisible(
    LONG_TIMEOUT,
  );
  await server.getByRole('textbox', { name: 'Variables' }).fill('KEY={secret:KEY}');
  await server.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change tracker' }).click(LONG_TIMEOUT);
  const change = page.getByRole('form', { name: 'Change tracker' });
  await change.getByRole('combobox', { name: 'Kind' }).selectOption('remote');
  await change.getByRole('textbox', { name: 'Address' }).fill('https://mcp.example.com/mcp');
  await change.getByRole('textbox', { name: 'Headers' }).fill('Authorization: Bearer {secret:KEY}');
  await change.getByRole('button', { name: 'Save' }).click();
  const isUsed = page.getByRole('switch', { name: 'Use tracker' });
  await isUsed.click(LONG_TIMEOUT);
  await expect(isUsed).not.toBeChecked(LONG_TIMEOUT);

  await page.reload();
  await expect(isUsed).not.toBeChecked(LONG_TIMEOUT);
  await page.getByRole('button', { name: 'Remove release-notes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('button', { name: 'Change release-notes' })).toHaveCount(
    0,
    LONG_TIMEOUT,
  );
  expect(await callApi(page, 'GET', '/settings')).toMatchObject({
    agent: {
      instructions: 'Be brief.',
      skills: [],
      servers: [
        {
          kind: 'remote',
          name: 'tracker',
          url: 'https://mcp.example.com/mcp',
          headers: { Authorization: 'Bearer {secret:KEY}' },
          isEnabled: false,
        },
      ],
    },
  });
});
