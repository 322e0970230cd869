export const SessionPage = () => null;
