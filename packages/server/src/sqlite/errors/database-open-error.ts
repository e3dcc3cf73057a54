/** A SQLite database cannot be opened: wrong path, no permission, or a file of something else. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError'
  /** For programs; always this. */
  readonly code = 'database_not_opened'
  /** The database's file. */
  readonly path: string

  /**
   * @param path - the database's file.
   * @param reason - why, as a sentence that says what to do.
   * @param options - the `cause`.
   */
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`Cannot open the database ${path}. ${reason}`, options)
    this.path = path
  }
}
