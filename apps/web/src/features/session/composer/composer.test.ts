import { describe, expect, it } from 'vitest';
import { commandsLike, parseCommand } from './commands.ts';
import { replaceToken, tokenAt } from './token.ts';

describe('commands of the composer', () => {
  it('[CM1] a command is its name with its argument', () => {
    expect(parseCommand('/stop')?.command.name).toBe('stop');
    expect(parseCommand('  /plan add a\nlogin page ')).toMatchObject({
      command: { name: 'plan' },
      rest: 'add a\nlogin page',
    });
    expect(parseCommand('/model openai/gpt-5')?.rest).toBe('openai/gpt-5');
  });

  it('[CM1] anything else that begins with a slash is a prompt', () => {
    for (const text of ['/etc/hosts is wrong', '/stop it from growing', '/unknown', '/', 'a /stop'])
      expect([text, parseCommand(text)]).toEqual([text, null]);
  });

  it('names are suggested by prefix', () => {
    expect(commandsLike('RE').map(({ name }) => name)).toEqual([
      'retry',
      'review',
      'rename',
      'resume',
    ]);
    expect(commandsLike('zzz')).toEqual([]);
  });
});

describe('the token at the caret', () => {
  it('is a command at the start only, and a file anywhere', () => {
    expect(tokenAt('/pl', 3)).toMatchObject({ kind: 'command', query: 'pl' });
    expect(tokenAt('/plan do', 8)).toBeNull();
    expect(tokenAt('/model open', 11)).toMatchObject({ kind: 'model', query: 'open' });
    expect(tokenAt('see @src/ma', 11)).toEqual({
      kind: 'mention',
      query: 'src/ma',
      start: 4,
      end: 11,
    });
    expect(tokenAt('mail@example.com', 16)).toBeNull();
    expect(tokenAt('@a b', 4)).toBeNull();
  });

  it('is replaced by the choice, and the rest stays', () => {
    const text = 'see @ma for it';
    const token = tokenAt(text, 7);
    expect(token === null ? null : replaceToken(text, token, '@src/main.ts')).toEqual({
      text: 'see @src/main.ts for it',
      caret: 17,
    });
  });
});
