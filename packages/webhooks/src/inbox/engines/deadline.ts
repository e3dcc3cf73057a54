import { waitAtMost } from '../../time-limit.ts'
import { ignore } from '../engine.ts'

/** Time limit for opening a connection, and for short statements, in milliseconds. */
export const deadlineMs = 10_000

/** Time limit for statements that may read many entries, in milliseconds. */
const longDeadlineMs = 60_000

/** Time limit for the first statement on a connection from the pool, which may be broken, in milliseconds. */
const checkMs = 2_000

/** Throws the error of a database that does not respond in time. */
export const refuseSilence = (ms = deadlineMs): never => {
  throw new Error(`The database did not respond within ${ms} ms.`)
}

type Connections<Client> = {
  readonly connect: () => Promise<Client>
  /** Runs a short statement. Rejects if the connection cannot be used, and ends a transaction that was left open on it. */
  readonly check: (client: Client) => Promise<unknown>
  /** Checks whether an error leaves the connection useless. */
  readonly isBroken: (error: unknown) => boolean
  readonly close: (client: Client, destroy: boolean) => unknown
}

/**
 * Takes from the pool a connection that responds. After a network failure, any idle connection of the pool
 * may be dead, so each one that does not respond is closed.
 */
export const openResponsive = async <Client>({
  connect,
  check,
  close,
}: Connections<Client>): Promise<Client> => {
  for (;;) {
    const client = await connect()
    try {
      if (await waitAtMost(checkMs, () => check(client).then(() => true))) return client
    } catch (error) {
      close(client, true)
      throw error
    }
    close(client, true)
  }
}

/**
 * Runs a statement that may take a long time on a connection from the pool. Closes the connection if it does
 * not respond, because the pool would otherwise lend it again.
 */
export const runOnce = async <Client, Result>(
  connections: Connections<Client>,
  work: (client: Client) => Promise<Result>,
): Promise<Result> => {
  const opening = openResponsive(connections)
  let client: Client
  try {
    client = await waitAtMost(deadlineMs, () => opening, refuseSilence)
  } catch (error) {
    void opening.then((late) => connections.close(late, false)).catch(ignore)
    throw error
  }
  let isUsable = false
  const run = async () => {
    try {
      const result = await work(client)
      isUsable = true
      return result
    } catch (error) {
      isUsable = !connections.isBroken(error)
      throw error
    }
  }
  try {
    return await waitAtMost(longDeadlineMs, run, () => refuseSilence(longDeadlineMs))
  } finally {
    connections.close(client, !isUsable)
  }
}
