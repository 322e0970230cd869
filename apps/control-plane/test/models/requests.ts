/** The same question in the three protocols. */
export const PROVIDERS = {
  chat: { protocol: 'openai-chat', path: 'chat/completions' },
  messages: { protocol: 'anthropic-messages', path: 'messages' },
  responses: { protocol: 'openai-responses', path: 'responses' },
} as const;
export type ProviderName = keyof typeof PROVIDERS;
export const NAMES = Object.keys(PROVIDERS) as ProviderName[];

export const pathOf = (name: ProviderName): string => `${name}/${PROVIDERS[name].path}`;

export function question(name: ProviderName, text: string, rest: object = {}): object {
  const messages = [{ role: 'user', content: text }];
  const common = { model: 'demo', stream: true, ...rest };
  if (name === 'responses') return { ...common, input: messages };
  return { ...common, messages, ...(name === 'messages' && { max_tokens: 4000 }) };
}
