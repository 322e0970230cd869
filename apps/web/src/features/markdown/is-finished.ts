import { createContext } from 'react';

/** Whether the surrounding text is complete. A context, so that its end re-renders only code blocks. */
export const IsFinished = createContext(true);
