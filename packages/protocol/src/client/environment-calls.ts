import {
  EnvironmentCheck,
  type EnvironmentCheckCreate,
  RepositoryPlan,
  type RepositoryPlanQuery,
} from '../http/environment.ts';
import type { SessionId } from '../ids.ts';
import type { HttpClient } from './http.ts';

/** Typed calls for the setup and tests of repositories. */
export class EnvironmentCalls {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  plan(query: RepositoryPlanQuery) {
    return this.#http.call({
      method: 'GET',
      path: '/repositories/plan',
      query,
      answer: RepositoryPlan,
    });
  }

  /** Not retried: each call starts a sandbox. */
  startCheck(body: EnvironmentCheckCreate) {
    return this.#http.call({
      method: 'POST',
      path: '/environment-checks',
      body,
      answer: EnvironmentCheck,
    });
  }

  check(checkId: SessionId) {
    const path = `/environment-checks/${checkId}`;
    return this.#http.call({ method: 'GET', path, answer: EnvironmentCheck });
  }
}
