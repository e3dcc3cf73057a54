import { waitAtMost } from '../../time-limit.ts'
import { type Effects, refuse, type Statement } from '../engine.ts'
import { deadlineMs, refuseSilence } from './deadline.ts'

/** Interval at which a connection that runs a transaction is checked, in milliseconds. */
const checkEveryMs = 5_000

/** The operations that run effects in a transaction, on a connection from the pool. */
type Transactions<Client> = {
  /** Maximum number of connections that handlers can occupy at a time. */
  readonly limit: number
  readonly connect: () => Promise<Client>
  /** Begins a transaction, and returns the database's id of the connection. */
  readonly begin: (client: Client) => Promise<number>
  /** Checks whether the connection is waiting for a response although the database has been idle on it. */
  readonly isSilent: (client: Client, connectionId: number) => Promise<boolean>
  /** Runs the completion, and commits if the claim was held. Returns whether the claim was held. */
  readonly commit: (client: Client, completion: Statement) => Promise<boolean>
  readonly close: (client: Client, destroy: boolean) => unknown
}

/** Creates the function that starts an attempt whose effects are in a transaction. */
export const createTransactions = <Client>(operations: Transactions<Client>) => {
  const { limit, connect, begin, isSilent, commit, close } = operations
  let free = limit
  const waiting: (() => void)[] = []

  const leave = (client: Client | undefined, destroy: boolean): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
    if (client !== undefined) close(client, destroy)
  }
  const enter = async () => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    let client: Client | undefined
    const connecting = connect()
    try {
      client = await waitAtMost(deadlineMs, () => connecting, refuseSilence)
      const opened = client
      return { client, connectionId: await waitAtMost(deadlineMs, () => begin(opened), refuseSilence) }
    } catch (error) {
      // A connection that is opened too late would never be returned to the pool.
      if (client === undefined) void connecting.then((late) => close(late, true)).catch(() => {})
      leave(client, true)
      throw error
    }
  }

  return (onSilent: (error: Error) => void): Effects<Client, never> => {
    let opening: ReturnType<typeof enter> | undefined
    let checks: ReturnType<typeof setInterval> | undefined
    let ended = false
    const silent = Promise.withResolvers<never>()
    // Ignores the rejection, because only a completion awaits this promise.
    silent.promise.catch(() => {})

    const stopChecks = (): void => {
      clearInterval(checks)
      checks = undefined
    }
    /**
     * Gives up a connection that no longer responds, for example because a router has forgotten it. Such a
     * connection raises no error: the handler would never end, and its claim would be renewed again and
     * again. A deadline for every statement would also end long queries.
     */
    const check = async ({ client, connectionId }: Awaited<ReturnType<typeof enter>>): Promise<void> => {
      if (!(await isSilent(client, connectionId)) || checks === undefined) return
      stopChecks()
      const error = new Error('The connection of this transaction no longer responds.')
      silent.reject(error)
      if (ended) return
      ended = true
      leave(client, true)
      onSilent(error)
    }
    const open = async () => {
      const opened = await enter()
      // The database may not respond to the check itself. In that case, the next check decides.
      checks = setInterval(() => void check(opened).catch(() => {}), checkEveryMs)
      return opened
    }
    return {
      transaction: async () => {
        if (ended) throw new Error('The attempt has ended, and its transaction with it.')
        opening ??= open()
        return (await opening).client
      },
      atCompletion: () =>
        refuse('atCompletion() runs on SQLite. On this database, write with transaction().'),
      complete: async (completion) => {
        if (ended) refuse('The attempt was abandoned.')
        ended = true
        if (opening === undefined) return undefined
        const { client } = await opening
        let committed = false
        try {
          committed = await Promise.race([commit(client, completion), silent.promise])
          return committed
        } finally {
          stopChecks()
          leave(client, !committed)
        }
      },
      // Closing the connection rolls back, and prevents further writes by a handler that is still running.
      abandon: () => {
        if (ended) return
        ended = true
        const end = ({ client }: Awaited<ReturnType<typeof enter>>): void => {
          stopChecks()
          leave(client, true)
        }
        opening?.then(end).catch(() => {})
      },
    }
  }
}
