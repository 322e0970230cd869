import { TokenId } from '@ship/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { talking } from '../client/talk-options.ts';
import type { TalkOptions } from '../client/with-server.ts';

export function registerToken(program: Command): void {
  const token = program.command('token').description('API tokens, for programs and other machines');
  talking(token.command('create').description('make one; its value is shown once'))
    .argument('<name>', 'what it is for')
    .action(async (name: string, options: TalkOptions) => {
      const { createToken } = await import('../sessions/tokens.ts');
      await createToken(name, options);
    });
  talking(token.command('ls').description('list them, without values')).action(
    async (options: TalkOptions) => {
      const { listTokens } = await import('../sessions/tokens.ts');
      await listTokens(options);
    },
  );
  talking(token.command('revoke').description('make one useless, at once'))
    .argument('<id>', 'its id, as ship token ls shows it', parseTokenId)
    .action(async (tokenId: TokenId, options: TalkOptions) => {
      const { revokeToken } = await import('../sessions/tokens.ts');
      await revokeToken(tokenId, options);
    });
}

function parseTokenId(text: string): TokenId {
  const parsed = TokenId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be the id of a token: tok_…');
}
