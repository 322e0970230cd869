import { SettingsPatch } from '@ship/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';

export function registerAllow(program: Command): void {
  withClientOptions(
    program
      .command('allow')
      .description('let sandboxes reach a host, as in Settings → Network; applies immediately'),
  )
    .argument(
      '<host>',
      'a host, *.host, or HOST=private (HOST=10.20.0.0/16) for a host of your own network',
      parseEntry,
    )
    .action(async (entry: string, options: ClientOptions) => {
      const { allowHost } = await import('../sessions/allow.ts');
      await allowHost(entry, options);
    });
}

function parseEntry(text: string): string {
  const parsed = SettingsPatch.safeParse({ egress: { allow: [text] } });
  const [entry] = parsed.data?.egress?.allow ?? [];
  if (entry !== undefined) return entry;
  throw new InvalidArgumentError(
    'It must be a host name without https:// and path, or HOST=private.',
  );
}
