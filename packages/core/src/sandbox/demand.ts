/** What the session needs of its sandbox at the moment. */
export interface Demand {
  /** A turn is open or a prompt waits for its turn. */
  hasWork: boolean;
  /** Somebody looks at the session. */
  hasViewers: boolean;
  /** Its repository is being changed or tested without a turn. That wakes no sandbox and makes none. */
  isInUse: boolean;
  /** When there was last work or a viewer. */
  lastActiveAt: number;
  /** When the sandbox was last looked at; not an event, because nothing changed. 0: it must be now. */
  lastCheckedAt: number;
  isClosed: boolean;
  /** The sandbox service may take the memory of the idle sandbox. Withdraw that before the sandbox is used. */
  isEvictable: boolean;
}
