/**
 * Incremented only when an old client could misread a new server's messages. Additions (a new event type, a new optional
 * field) do not increment it: clients ignore unknown types and fields.
 */
export const PROTOCOL_VERSION = 1;
