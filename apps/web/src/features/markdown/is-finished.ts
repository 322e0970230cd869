import { createContext } from 'react';

/** Whether the text around is whole. Beside the blocks, so that its end draws none of them again but code. */
export const IsFinished = createContext(true);
