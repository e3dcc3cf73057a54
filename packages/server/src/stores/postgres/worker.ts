import { StorageUnavailableError, type WorkersView } from '@wabakit/core'
import type pg from 'pg'
import { holdWorker } from './functions/workers.ts'
import type { Notifications } from './notifications.ts'
import type { QueueChanges } from './queue-changes.ts'

/** This process as a worker. The listening connection proves that it is alive. */
export type Worker = ReturnType<typeof createWorker>

export type WorkerContext = {
  readonly queueChanges: Pick<QueueChanges, 'emitLost'>
  readonly notifications: Pick<Notifications, 'hold'>
  /** Prepares a new connection for this package's statements. */
  prepare(client: pg.Client): Promise<void>
}

const unregister = 'SELECT pg_advisory_unlock_all()'

/** Maximum time to wait for a connection, in milliseconds. */
const patienceMs = 5_000

export const createWorker = ({ notifications, queueChanges, prepare }: WorkerContext) => {
  let isRegistered = false
  let held: { readonly id: string; letGo(): void } | undefined
  let waiting: Array<() => void> = []

  /** Releases the connection. */
  const end = (): void => {
    held?.letGo()
    held = undefined
    isRegistered = false
  }

  const hold = (id: string): void => {
    end()
    const stopped = new AbortController()
    const letGo = notifications.hold(async ({ client, gone }) => {
      await prepare(client)
      await client.query(holdWorker, [id])
      if (gone.aborted || stopped.signal.aborted) return
      isRegistered = true
      gone.addEventListener('abort', () => {
        if (stopped.signal.aborted) return
        isRegistered = false
        queueChanges.emitLost()
      })
      stopped.signal.addEventListener('abort', () => client.query(unregister).catch(() => {}))
      for (const resolve of waiting.splice(0)) resolve()
    })
    held = {
      id,
      letGo: () => {
        stopped.abort()
        letGo()
      },
    }
  }

  const waitForRegistration = (): Promise<void> => {
    if (isRegistered) return Promise.resolve()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push(resolve)
    const timer = setTimeout(() => {
      waiting = waiting.filter((each) => each !== resolve)
      reject(new StorageUnavailableError('There is no connection that listens to PostgreSQL.'))
    }, patienceMs)
    return promise.finally(() => clearTimeout(timer))
  }

  return {
    /**
     * Renews the lease with `write`, once the listening connection holds the worker's lock. If that connection is lost later,
     * notifies the schedulers that the worker is lost, because other workers take over 2 seconds after they notice it.
     *
     * @throws StorageUnavailableError if there is no such connection within 5 seconds, or `write` returns nothing.
     */
    renew: async (id: string, write: () => Promise<WorkersView | undefined>): Promise<WorkersView> => {
      if (held?.id !== id) hold(id)
      await waitForRegistration()
      const renewed = await write()
      if (renewed === undefined) throw new StorageUnavailableError('The worker could not be renewed.')
      return renewed
    },
    end,
  }
}
