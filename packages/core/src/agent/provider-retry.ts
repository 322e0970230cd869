import type { ProviderRetryReason } from '@ship/protocol';

const CAUSES: Readonly<Record<ProviderRetryReason['kind'], string>> = {
  'rate-limited': 'the model provider is rate limiting requests',
  unavailable: 'the model provider is overloaded or unavailable',
  unreachable: 'the model provider cannot be reached',
  'timed-out': 'the model provider did not answer in time',
  unknown: 'the call to the model provider failed',
};

/** The reason why the agent waits for its model, as the start of a sentence, with the provider's own text if there is any. */
export function describeRetry(reason: ProviderRetryReason | null): string {
  const cause = CAUSES[reason?.kind ?? 'unknown'];
  return reason === null || reason.message === '' ? cause : `${cause}: “${reason.message}”`;
}
