/**
 * What the control plane is told about the world around it. On one machine `ship up` fills it in (`launch.ts`); in the
 * cloud these are variables and secrets of the Worker. Null or absent means: not configured.
 */
export interface EnvironmentBindings {
  /** The local sandbox server. */
  E2B_API_URL?: string | null;
  E2B_SANDBOX_URL?: string | null;
  E2B_API_KEY?: string | null;
  /** The user's own key for E2B's cloud. */
  E2B_CLOUD_API_KEY?: string | null;
  /** What our template is called there; `ship deploy` builds it. */
  E2B_TEMPLATE?: string | null;
  /** The local forge: its REST API, the root of its git URLs, and our token for both. */
  FORGE_API_URL?: string | null;
  FORGE_GIT_URL?: string | null;
  FORGE_TOKEN?: string | null;
  /** The scripted model server, ending with `/v1`. */
  DEMO_MODEL_URL?: string | null;
  /** Where people and sandboxes of a cloud find this installation, such as `https://ship.example.com`. */
  PUBLIC_URL?: string | null;
  /** Signs the capabilities that sandboxes hold instead of keys. */
  GATEWAY_SECRET?: string | null;
  /** Keys and addresses that the user has in the environment. */
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
  /** Signs what GitHub, or the local forge, sends to `/api/hooks/github`. */
  GITHUB_WEBHOOK_SECRET?: string | null;
  /** The text of `models.json`. */
  MODELS_FILE?: string | null;
}
