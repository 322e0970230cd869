/** The client for Ship's API: typed calls, and subscriptions to sessions over unreliable networks. For browsers and Node. */
export type { Clock } from './clock.ts';
export { HttpClient, type HttpOptions, type HttpRequest } from './http.ts';
export type { Link, LinkHandlers, OpenLink } from './link.ts';
export { SessionWatch, type SessionWatchOptions } from './session-watch.ts';
export type { SessionListQuery } from './call-options.ts';
export { ShipClient } from './ship-client.ts';
export type { OpenSocket, SocketLike } from './socket-link.ts';
export type { EndReason, WatchStatus } from './watch-status.ts';
