/** The server's name for the one user of an installation on one machine. */
const LOCAL_USER = 'local';

/** The subject of a sentence about what a person did. */
export const personName = (by: string): string => (by === LOCAL_USER ? 'You' : by);
