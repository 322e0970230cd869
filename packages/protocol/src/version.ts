/**
 * Raised only when an old client could misread what a new server says. Additions (a new event type, a new optional
 * field) do not raise it: clients ignore what they do not know.
 */
export const PROTOCOL_VERSION = 1;
