/**
 * Configuration of the control plane. On one machine `ship up` sets it (`launch.ts`); in the cloud these are variables and
 * secrets of the Worker. Null or absent means not configured.
 */
export interface EnvironmentBindings {
  /** The local sandbox server. */
  E2B_API_URL?: string | null;
  E2B_SANDBOX_URL?: string | null;
  E2B_API_KEY?: string | null;
  /** The user's own key for E2B's cloud. */
  E2B_CLOUD_API_KEY?: string | null;
  /** The name of Ship's template there; `ship deploy` builds it. */
  E2B_TEMPLATE?: string | null;
  /** The local forge: its REST API, the root of its git URLs, and Ship's token for both. */
  FORGE_API_URL?: string | null;
  FORGE_GIT_URL?: string | null;
  FORGE_TOKEN?: string | null;
  /** The scripted model server, ending with `/v1`. */
  DEMO_MODEL_URL?: string | null;
  /** The address at which people and cloud sandboxes reach this installation, such as `https://ship.example.com`. */
  PUBLIC_URL?: string | null;
  /** Signs the capabilities that sandboxes hold instead of keys. */
  GATEWAY_SECRET?: string | null;
  /** Keys and addresses from the user's environment. */
  ANTHROPIC_API_KEY?: string | null;
  OPENAI_API_KEY?: string | null;
  OPENROUTER_API_KEY?: string | null;
  OLLAMA_HOST?: string | null;
  GITHUB_TOKEN?: string | null;
  /** A GitHub App instead of a token: its number, and the text of its .pem file. */
  GITHUB_APP_ID?: string | null;
  GITHUB_APP_PRIVATE_KEY?: string | null;
  GITHUB_API_URL?: string | null;
  GITHUB_URL?: string | null;
  /** Verifies webhooks of GitHub or the local forge to `/api/hooks/github`. */
  GITHUB_WEBHOOK_SECRET?: string | null;
  /** The text of `models.json`. */
  MODELS_FILE?: string | null;
}
