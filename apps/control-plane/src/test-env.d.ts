/** What `cloudflare:test` offers as `env` in the tests that run in workerd. */
declare namespace Cloudflare {
  interface Env extends Pick<import('./worker.ts').Env, 'SESSIONS' | 'WORKSPACES' | 'RESERVES'> {
    ARTIFACTS: R2Bucket;
    ARTIFACTS_ON_DISK: Fetcher;
  }
}
