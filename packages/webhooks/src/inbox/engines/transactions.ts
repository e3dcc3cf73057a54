import { type Effects, refuse, type Statement } from '../engine.ts'

/** The operations that run effects in a transaction, on a connection from the pool. */
type Transactions<Client> = {
  /** Maximum number of connections that handlers can occupy at a time. */
  readonly limit: number
  readonly connect: () => Promise<Client>
  readonly begin: (client: Client) => Promise<unknown>
  /** Runs the completion, and commits if the claim was held. Returns whether the claim was held. */
  readonly commit: (client: Client, completion: Statement) => Promise<boolean>
  readonly close: (client: Client, destroy: boolean) => unknown
}

/** Creates the function that starts an attempt whose effects are in a transaction. */
export const createTransactions = <Client>(operations: Transactions<Client>) => {
  const { limit, connect, begin, commit, close } = operations
  let free = limit
  const waiting: (() => void)[] = []

  const leave = (client: Client | undefined, destroy: boolean): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
    if (client !== undefined) close(client, destroy)
  }
  const enter = async (): Promise<Client> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    let client: Client | undefined
    try {
      client = await connect()
      await begin(client)
      return client
    } catch (error) {
      leave(client, true)
      throw error
    }
  }

  return (): Effects<Client, never> => {
    let transaction: Promise<Client> | undefined
    let ended = false
    return {
      transaction: async () => {
        if (ended) throw new Error('The attempt has ended, and its transaction with it.')
        transaction ??= enter()
        return transaction
      },
      atCompletion: () =>
        refuse('atCompletion() runs on SQLite. On this database, write with transaction().'),
      complete: async (completion) => {
        if (ended) refuse('The attempt was abandoned.')
        ended = true
        if (transaction === undefined) return undefined
        const client = await transaction
        let committed = false
        try {
          committed = await commit(client, completion)
          return committed
        } finally {
          leave(client, !committed)
        }
      },
      // Closing the connection rolls back, and prevents further writes by a handler that is still running.
      abandon: () => {
        if (ended) return
        ended = true
        transaction?.then((client) => leave(client, true)).catch(() => {})
      },
    }
  }
}
