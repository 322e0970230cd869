/** The current needs of the session from its sandbox. */
export interface Demand {
  /** A turn is open or a prompt is queued. */
  hasWork: boolean;
  /** A client watches the session. */
  hasViewers: boolean;
  /** The repository is being changed or tested without a turn. That neither wakes nor creates a sandbox. */
  isInUse: boolean;
  /** When the session last had work or a viewer. */
  lastActiveAt: number;
  /** When the sandbox was last checked; not an event, because nothing changed. 0 requires a check now. */
  lastCheckedAt: number;
  isClosed: boolean;
  /** The sandbox service may reclaim the idle sandbox's memory. Withdraw that before the sandbox is used. */
  isEvictable: boolean;
}
