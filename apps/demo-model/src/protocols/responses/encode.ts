import type { Answer, Failure, Frame } from '../../answer.ts';
import { openAiError } from '../chat/encode.ts';
import { eventFrame } from '../sse.ts';
import { type Item, itemBody, itemsOf, responseBody } from './items.ts';

interface Event {
  type: string;
  rest: object;
  tokens: number;
}

function event(type: string, rest: object, tokens = 0): Event {
  return { type, rest, tokens };
}

function itemEvents(item: Item, output_index: number): Event[] {
  const at = { item_id: item.id, output_index };
  return [
    event('response.output_item.added', { output_index, item: itemBody(item, false) }),
    ...contentEvents(item, at),
    event('response.output_item.done', { output_index, item: itemBody(item, true) }),
  ];
}

function contentEvents(item: Item, at: { item_id: string; output_index: number }): Event[] {
  switch (item.kind) {
    case 'reasoning': {
      const part = { ...at, summary_index: 0 };
      return [
        event('response.reasoning_summary_part.added', {
          ...part,
          part: { type: 'summary_text', text: '' },
        }),
        ...item.pieces.map((piece) =>
          event(
            'response.reasoning_summary_text.delta',
            { ...part, delta: piece.text },
            piece.tokens,
          ),
        ),
        event('response.reasoning_summary_text.done', { ...part, text: item.text }),
        event('response.reasoning_summary_part.done', {
          ...part,
          part: { type: 'summary_text', text: item.text },
        }),
      ];
    }
    case 'message': {
      const part = { ...at, content_index: 0 };
      const body = (text: string): object => ({
        ...part,
        part: { type: 'output_text', text, annotations: [] },
      });
      return [
        event('response.content_part.added', body('')),
        ...item.pieces.map((piece) =>
          event('response.output_text.delta', { ...part, delta: piece.text }, piece.tokens),
        ),
        event('response.output_text.done', { ...part, text: item.text }),
        event('response.content_part.done', body(item.text)),
      ];
    }
    case 'call':
      return [
        ...item.pieces.map((piece) =>
          event(
            'response.function_call_arguments.delta',
            { ...at, delta: piece.text },
            piece.tokens,
          ),
        ),
        event('response.function_call_arguments.done', { ...at, arguments: item.text }),
      ];
  }
}

export function responsesFrames(answer: Answer): Frame[] {
  const finished = responseBody(answer);
  const begun = { ...finished, status: 'in_progress', output: [], usage: null };
  const ending = finished['status'] === 'completed' ? 'response.completed' : 'response.incomplete';
  const events = [
    event('response.created', { response: begun }),
    event('response.in_progress', { response: begun }),
    ...itemsOf(answer).flatMap(itemEvents),
    event(ending, { response: finished }),
  ];
  return events.map(({ type, rest, tokens }, sequence_number) =>
    eventFrame(type, { type, sequence_number, ...rest }, tokens),
  );
}

export function responsesErrorFrame(failure: Failure): Frame {
  const { message, code } = openAiError(failure).error;
  return eventFrame('error', { type: 'error', sequence_number: 0, code, message, param: null });
}
