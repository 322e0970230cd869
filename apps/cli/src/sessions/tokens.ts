import type { TokenId } from '@ship/protocol';
import { type ClientOptions, withServer } from '../client/with-server.ts';
import { duration, oneLine } from '../progress/text.ts';

export async function createToken(name: string, options: ClientOptions): Promise<void> {
  const created = await withServer(options, ({ client }) => client.createToken(name));
  // Only the value on its line, for copying and pipes; it is never shown again.
  process.stdout.write(`${options.json === true ? JSON.stringify(created) : created.value}\n`);
}

export async function listTokens(options: ClientOptions): Promise<void> {
  const list = await withServer(options, ({ client }) => client.tokens());
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(list)}\n`);
    return;
  }
  const nowMs = Date.now();
  for (const { tokenId, name, lastUsedAt, revokedAt } of list.tokens) {
    const used = lastUsedAt === null ? 'never used' : `used ${duration(nowMs - lastUsedAt)} ago`;
    process.stdout.write(
      `${tokenId}  ${revokedAt === null ? used : 'revoked'}  ${oneLine(name, 100)}\n`,
    );
  }
}

export async function revokeToken(tokenId: TokenId, options: ClientOptions): Promise<void> {
  const token = await withServer(options, ({ client }) => client.revokeToken(tokenId));
  process.stdout.write(
    `${options.json === true ? JSON.stringify(token) : `revoked ${token.tokenId}`}\n`,
  );
}
