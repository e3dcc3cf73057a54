/**
 * What became of a delivery: its handlers succeeded and the transaction is committed, one of them failed and it is
 * rolled back, or no handler was called.
 */
export type InboxOutcome = 'handled' | 'failed' | 'duplicate' | 'in_progress'

/**
 * Remembers handled deliveries in the database that handlers write to, in the same transaction: either everything that
 * they wrote is there and the delivery is known as handled, or neither.
 */
export type Inbox<Transaction> = {
  /**
   * Runs `work` in a transaction, unless the key was handled before or is being handled. Commits, together with the
   * key, when `work` resolves to `true`; otherwise rolls back. Rejects when the database cannot be reached, or when
   * the commit is not confirmed.
   */
  transact(key: string, work: (transaction: Transaction) => Promise<boolean>): Promise<InboxOutcome>
}
