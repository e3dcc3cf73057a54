/** What a process of an environment does. */
export type Role = 'all' | 'api' | 'worker'

/** The database of an environment. Its processes have names, a new one at each start. */
export type EnvironmentDatabase = {
  /** As the checker gets it. */
  readonly address: string
  /** As a process gets it. */
  addressFor(process: string): string
  /** How many shards a process owns. */
  countShards(process: string): Promise<number>
}

/** What environments run on. */
export type Engine = {
  /** The processes of an environment. */
  readonly roles: readonly Role[]
  /** A module that loses one of `WABAKIT_DROP_EVERY` acknowledged commits. It responds with `dropped`. */
  readonly dropCommits: string
  /**
   * Creates an empty database.
   *
   * @param folder - a folder of the environment for files.
   */
  createDatabase(folder: string): Promise<EnvironmentDatabase>
}
