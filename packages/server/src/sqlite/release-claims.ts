import type { DatabaseSync } from 'node:sqlite'

/**
 * Makes due what a process before this one had claimed. The lock on the file proves that it is gone, so that nobody
 * need wait for its leases.
 */
export const releaseClaims = (database: DatabaseSync): void => {
  database.exec(`
    update deliveries set status = 'pending', claimId = null, dueAt = createdAt
    where status = 'claimed'
  `)
}
