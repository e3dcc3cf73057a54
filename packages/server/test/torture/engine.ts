export type Role = 'all' | 'api' | 'worker'

/** The database of a service. A process gets a new name at each start. */
export type TestDatabase = {
  /** The address for the checker. */
  readonly address: string
  /** Returns the address for a process. */
  addressFor(process: string): string
  /** Called once, when the tables exist and are empty. */
  prepare(): Promise<void>
  /** Counts the deliveries that a process has claimed. */
  countClaims(process: string): Promise<number>
  /**
   * Ends the leases of some processes, as if a minute had passed. The processes must be dead or paused, or have nothing to
   * attempt.
   */
  endLeases(...processes: readonly string[]): Promise<void>
}

export type Engine = {
  /** The default processes of a service. */
  readonly roles: readonly Role[]
  /** A module that loses one acknowledged commit in `WABAKIT_DROP_EVERY`. Its response to `dropped` is their number. */
  readonly dropCommits: string
  /**
   * Creates an empty database.
   *
   * @param folder - the service's folder, for files.
   */
  createDatabase(folder: string): Promise<TestDatabase>
}
