/** The role of a process in an environment. */
export type Role = 'all' | 'api' | 'worker'

/** The database of an environment. A process gets a new name at each start. */
export type EnvironmentDatabase = {
  /** The address for the checker. */
  readonly address: string
  /** Returns the address for a process. */
  addressFor(process: string): string
  /** Returns the number of shards that a process owns. */
  countShards(process: string): Promise<number>
}

/** The kind of database that environments use. */
export type Engine = {
  /** The processes of an environment. */
  readonly roles: readonly Role[]
  /**
   * Path of a module that loses one in `WABAKIT_DROP_EVERY` acknowledged commits. It responds to `dropped` with the
   * number of lost commits.
   */
  readonly dropCommits: string
  /**
   * Creates an empty database.
   *
   * @param folder - a folder of the environment for files.
   */
  createDatabase(folder: string): Promise<EnvironmentDatabase>
}
