/** Thrown when a database was written by a newer version of this software. */
export class DatabaseVersionError extends Error {
  override readonly name = 'DatabaseVersionError'
  /** Identifies the error. */
  readonly code = 'database_too_new'
  /** The version of the database's schema. */
  readonly found: number
  /** The newest version that this software supports. */
  readonly supported: number

  /**
   * @param database - the file, or the address without password.
   * @param versions - the found version and the newest supported one.
   */
  constructor(
    database: string,
    { found, supported }: { readonly found: number; readonly supported: number },
  ) {
    super(
      `${database} was written by a newer version of wabakit (schema ${found}; this version supports ${supported}). Start that version again, or use a backup from before the upgrade.`,
    )
    this.found = found
    this.supported = supported
  }
}
