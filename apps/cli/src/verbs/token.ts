import { TokenId } from '@ship/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';

export function registerToken(program: Command): void {
  const token = program.command('token').description('API tokens, for programs and other machines');
  withClientOptions(token.command('create').description('create one; its value is shown once'))
    .argument('<name>', 'what it is for')
    .action(async (name: string, options: ClientOptions) => {
      const { createToken } = await import('../sessions/tokens.ts');
      await createToken(name, options);
    });
  withClientOptions(token.command('ls').description('list them, without values')).action(
    async (options: ClientOptions) => {
      const { listTokens } = await import('../sessions/tokens.ts');
      await listTokens(options);
    },
  );
  withClientOptions(token.command('revoke').description('revoke one immediately'))
    .argument('<id>', 'its id, as ship token ls shows it', parseTokenId)
    .action(async (tokenId: TokenId, options: ClientOptions) => {
      const { revokeToken } = await import('../sessions/tokens.ts');
      await revokeToken(tokenId, options);
    });
}

function parseTokenId(text: string): TokenId {
  const parsed = TokenId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be the id of a token: tok_…');
}
