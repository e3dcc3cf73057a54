/**
 * Thrown when a database cannot be opened, for example because of a wrong path, a missing permission or a refused
 * connection.
 */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError'
  readonly code = 'database_not_opened'
  /** The database's file, or its address without password. */
  readonly path: string

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`Cannot open the database ${path}. ${reason}`, options)
    this.path = path
  }
}

/** Thrown when connections to a database share sessions, because a pooler is in transaction or statement mode. */
export class DatabasePoolerError extends DatabaseOpenError {}

/** Thrown when a SQLite database is open in another process, or in another store of this process. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError'
  readonly code = 'database_in_use'
  readonly path: string

  /** @param options - the `cause` and, if it is known, the id of the other process. */
  constructor(
    path: string,
    { owner, ...options }: ErrorOptions & { readonly owner?: number | undefined } = {},
  ) {
    super(
      `${path} is in use by another process${owner === undefined ? '' : ` (${owner})`}. Stop that one, or give this one a database of its own; several processes share a PostgreSQL database.`,
      options,
    )
    this.path = path
  }
}

/** Thrown when a newer version of this software has changed a database so that this version cannot use it. */
export class DatabaseVersionError extends Error {
  override readonly name = 'DatabaseVersionError'
  readonly code = 'database_too_new'
  /** The version of the database's schema. */
  readonly found: number
  /** The newest version that this software supports. */
  readonly supported: number

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

/** Thrown when a backup cannot be created. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
