/** Thrown when a SQLite database is open in another process, or in another store of this process. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError'
  /** Identifies the error. */
  readonly code = 'database_in_use'
  /** The database's file. */
  readonly path: string

  /**
   * @param path - the database's file.
   * @param options - the `cause`.
   */
  constructor(path: string, options?: ErrorOptions) {
    super(
      `${path} is in use by another process. Stop that one, or give this one a database of its own; several processes share a PostgreSQL database.`,
      options,
    )
    this.path = path
  }
}
