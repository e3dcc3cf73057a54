import { waitAtMost } from '../../time-limit.ts'
import { ignore } from '../engine.ts'
import { deadlineMs, refuseSilence } from './deadline.ts'

type ConnectionPool<Client> = {
  readonly open: () => Promise<Client>
  readonly close: (client: Client, broken: boolean) => unknown
  readonly isBroken: (error: unknown) => boolean
}

/**
 * Creates a connection that runs one statement at a time. It is taken from the pool when needed, returned
 * when nothing uses or holds it, and replaced when it breaks.
 */
export const createOwnConnection = <Client>({ open, close, isBroken }: ConnectionPool<Client>) => {
  let current: Promise<Client> | undefined
  let users = 0
  let last: Promise<unknown> = Promise.resolve()

  const drop = async (client: Promise<Client>, broken: boolean): Promise<void> => {
    if (current === client) current = undefined
    try {
      await close(await client, broken)
    } catch {
      // The connection was never open, or has broken.
    }
  }

  const leave = async (): Promise<void> => {
    users -= 1
    if (users === 0 && current !== undefined) await drop(current, false)
  }

  const connect = (): Promise<Client> => {
    if (current !== undefined) return current
    const opening = open()
    current = opening
    opening.catch(() => {
      if (current === opening) current = undefined
    })
    return opening
  }

  const attempt = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const client = connect()
    try {
      return await waitAtMost(deadlineMs, () => client.then(work), refuseSilence)
    } catch (error) {
      if (isBroken(error)) void drop(client, true)
      throw error
    }
  }

  return {
    /** Runs a statement after all earlier ones have ended. */
    use: async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
      users += 1
      const result = last.then(() => attempt(work))
      last = result.catch(() => {})
      try {
        return await result
      } finally {
        void leave()
      }
    },
    /** Keeps the connection until the returned function is called, or it breaks. */
    hold: (): (() => Promise<void>) => {
      users += 1
      // If opening fails, the next statement tries again and reports the error.
      connect().catch(ignore)
      return leave
    },
    /** Replaces the connection if `client` is still the current one. */
    replace: (client: Client): void => {
      const closed = current
      closed
        ?.then((opened) => {
          if (opened === client) void drop(closed, true)
        })
        .catch(ignore)
    },
  }
}

type Held = Pick<ReturnType<typeof createOwnConnection>, 'hold'>

export const holdAll = (connections: readonly Held[]): (() => Promise<void>) => {
  const releases = connections.map(({ hold }) => hold())
  return async () => {
    await Promise.all(releases.map((release) => release()))
  }
}
