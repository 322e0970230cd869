import type { ModelProtocol } from '@ship/protocol';

interface Preset {
  readonly providerId: string;
  readonly label: string;
  readonly protocol: ModelProtocol;
  readonly baseUrl: string;
}

/** Initial values that people can change. */
export const presets: readonly Preset[] = [
  {
    providerId: 'anthropic',
    label: 'Anthropic',
    protocol: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
  },
  {
    providerId: 'openai',
    label: 'OpenAI',
    protocol: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
  },
  {
    providerId: 'openrouter',
    label: 'OpenRouter',
    protocol: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  {
    providerId: 'ollama',
    label: 'Ollama on this machine',
    protocol: 'openai-chat',
    baseUrl: 'http://127.0.0.1:11434/v1',
  },
  { providerId: '', label: 'Other', protocol: 'openai-chat', baseUrl: '' },
];

export const protocolLabels: Readonly<Record<ModelProtocol, string>> = {
  'openai-chat': 'OpenAI chat completions',
  'openai-responses': 'OpenAI responses',
  'anthropic-messages': 'Anthropic messages',
};
