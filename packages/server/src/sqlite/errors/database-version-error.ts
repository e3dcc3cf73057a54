/** A database was written by a newer version of this software, which may have changed what things mean. */
export class DatabaseVersionError extends Error {
  override readonly name = 'DatabaseVersionError'
  /** For programs; always this. */
  readonly code = 'database_too_new'
  /** Version of the database's schema. */
  readonly found: number
  /** The newest schema that this software knows. */
  readonly supported: number

  /**
   * @param database - which one, as people know it: a file, or an address without password.
   * @param versions - that of the schema, and the newest that is known here.
   */
  constructor(
    database: string,
    { found, supported }: { readonly found: number; readonly supported: number },
  ) {
    super(
      `${database} was written by a newer version of wabakit (schema ${found}; this one knows ${supported}). Start that version again, or use a backup from before the upgrade.`,
    )
    this.found = found
    this.supported = supported
  }
}
