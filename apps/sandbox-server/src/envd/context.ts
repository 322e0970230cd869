/** Shared state of the supervisor: settings that `/init` may change while it runs. */
import type { EnvdConfig } from './config.ts';
import { DEFAULT_USER, findUser, type User } from './users.ts';

export interface Context {
  config: EnvdConfig;
  accessToken: string | undefined;
  env: Record<string, string>;
  defaultUser: string;
  defaultFolder: string | undefined;
}

export function contextOf(config: EnvdConfig): Context {
  return {
    config,
    accessToken: config.accessToken,
    env: { ...config.env },
    defaultUser: DEFAULT_USER,
    defaultFolder: undefined,
  };
}

export function callUser(context: Context, name: string | undefined): User {
  return findUser(name, context.defaultUser);
}
