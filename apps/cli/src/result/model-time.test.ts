import { MODEL_SPAN } from '@ship/protocol';
import { expect, it } from 'vitest';
import { modelTime } from './model-time.ts';

const span = (name: string, startedAt: number, durationMs: number, spanId = startedAt) => ({
  spanId,
  name,
  startedAt,
  durationMs,
  outcome: 'ok' as const,
  detail: null,
});

it('[RN8] the model time is the time of its calls; concurrent calls count once', () => {
  const spans = [
    span(MODEL_SPAN, 500, 50),
    span('stage.clone', 0, 900),
    span(MODEL_SPAN, 100, 200),
    span(MODEL_SPAN, 150, 20),
    span(MODEL_SPAN, 250, 100),
  ];
  expect(modelTime({ spans })).toBe(300);
  expect(modelTime({ spans: [] })).toBe(0);
});
