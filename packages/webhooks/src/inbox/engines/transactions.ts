import { type Effects, refuse, type Statement } from '../engine.ts'

/** The operations that run effects in a transaction, on a connection of the pool. */
type Transactions<Client> = {
  /** Maximum number of connections that handlers occupy at a time. */
  readonly limit: number
  readonly connect: () => Promise<Client>
  readonly begin: (client: Client) => Promise<unknown>
  /** Runs the completion, and commits if the claim was held. Returns whether it was. */
  readonly commit: (client: Client, completion: Statement) => Promise<boolean>
  readonly close: (client: Client, destroy: boolean) => unknown
}

/** Limits the number of handlers that have a connection. */
const createSlots = (limit: number) => {
  let free = limit
  const waiting: (() => void)[] = []
  return {
    enter: async (): Promise<void> => {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => void waiting.push(resolve))
    },
    leave: (): void => {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    },
  }
}

/** Creates the function that starts an attempt whose effects are in a transaction. */
export const createTransactions = <Client>({
  limit,
  connect,
  begin,
  commit,
  close,
}: Transactions<Client>) => {
  const slots = createSlots(limit)

  const enter = async (): Promise<Client> => {
    await slots.enter()
    let client: Client | undefined
    try {
      client = await connect()
      await begin(client)
      return client
    } catch (error) {
      slots.leave()
      if (client !== undefined) close(client, true)
      throw error
    }
  }
  const leave = (client: Client, destroy: boolean): void => {
    slots.leave()
    close(client, destroy)
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
