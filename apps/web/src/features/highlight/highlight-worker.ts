import { createLowlight } from 'lowlight';
import { grammars } from './grammars.ts';
import type { HighlightRequest } from './highlighter.ts';
import { type Marks, marksOf } from './marks.ts';

const lowlight = createLowlight(grammars);

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const marks = highlight(data);
  postMessage(marks, { transfer: [marks.buffer] });
});

function highlight({ language, text }: HighlightRequest): Marks {
  try {
    return marksOf(lowlight.highlight(language, text));
  } catch {
    return new Uint32Array();
  }
}
