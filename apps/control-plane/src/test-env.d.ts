/** The type of `env` from `cloudflare:test` in workerd tests. */
declare namespace Cloudflare {
  interface Env extends Pick<import('./worker.ts').Env, 'SESSIONS' | 'WORKSPACES' | 'RESERVES'> {
    ARTIFACTS: R2Bucket;
    ARTIFACTS_ON_DISK: Fetcher;
  }
}
