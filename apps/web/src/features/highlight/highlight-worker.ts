import { createLowlight } from 'lowlight';
import { grammars } from './grammars.ts';
import type { Question } from './highlighter.ts';
import { type Marks, marksOf } from './marks.ts';

const lowlight = createLowlight(grammars);

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  const marks = read(data);
  postMessage(marks, { transfer: [marks.buffer] });
});

function read({ language, text }: Question): Marks {
  try {
    return marksOf(lowlight.highlight(language, text));
  } catch {
    return new Uint32Array();
  }
}
