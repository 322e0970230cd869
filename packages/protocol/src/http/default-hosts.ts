/** The allow-list entry for the default hosts, which an empty list allows too. */
export const DEFAULT_HOSTS = 'ship:defaults';
