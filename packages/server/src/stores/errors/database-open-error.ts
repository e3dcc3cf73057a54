/**
 * Thrown when a database cannot be opened, for example because of a wrong path, a missing permission or a refused
 * connection.
 */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError'
  /** Identifies the error. */
  readonly code = 'database_not_opened'
  /** The database's file, or its address without password. */
  readonly path: string

  /**
   * @param path - the database's file, or its address without password.
   * @param reason - the cause and the remedy, as sentences.
   * @param options - the `cause`.
   */
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`Cannot open the database ${path}. ${reason}`, options)
    this.path = path
  }
}
