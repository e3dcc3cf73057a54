import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { StorageUnavailableError } from '@wabakit/core'

/**
 * Takes over a database from the previous server. That server's running attempts were only in its memory, so their
 * deliveries are due again.
 *
 * The lock file prevents a second server, unless the file is removed. Therefore, the database also records
 * its owner. Each transaction checks the owner, so a server writes nothing after another one has taken over.
 *
 * @returns a function that throws StorageUnavailableError if another server is now the owner.
 */
export const takeOver = (database: DatabaseSync): (() => void) => {
  const token = randomUUID()
  database.prepare('replace into owner (id, token) values (1, ?)').run(token)
  const read = database.prepare('select token from owner where id = 1')
  return () => {
    if (read.get()?.token === token) return
    throw new StorageUnavailableError(
      'Another server has opened this database, although this one had not closed it. This one writes nothing more: stop it, and never remove the -lock file of a running server.',
    )
  }
}
