import { setTimeout } from 'node:timers/promises'
import { StorageUnavailableError } from '@wabakit/core'
import type pg from 'pg'
import type { DueChannel } from './due-channel.ts'
import { checkWorkers, registerWorker } from './functions/workers.ts'
import type { Notifications } from './notifications.ts'
import type { Query } from './query.ts'

/** This process as one of the workers on a database. */
export type Worker = {
  /**
   * Registers it, over the connection that listens, and again whenever that connection was lost. Calls `lost` each time
   * it is lost: other workers take over what this one has claimed 2 seconds later.
   *
   * @returns unregisters it.
   */
  register(lost: () => void): () => void
  /** The number to claim under: `null` without a registration, `undefined` while it is being made (again). */
  number(): number | null | undefined
}

export type WorkerContext = {
  readonly query: Query
  readonly due: Pick<DueChannel, 'announce'>
  readonly notifications: Pick<Notifications, 'hold'>
  /** Prepares a new connection for our statements. */
  prepare(client: pg.Client): Promise<void>
}

/** How often a worker checks whether others, or it itself, are lost. */
const checkMs = 250

const sharedConnections =
  'PostgreSQL is reached through a pooler that shares connections among its clients, so this worker cannot be registered ' +
  'and delivers nothing. Set the pooler to session mode, or connect without it.'
const forgotten = 'PostgreSQL lost the registration of this worker. Its attempts end, and it registers again.'

const unregister = 'SELECT pg_advisory_unlock_all()'

type Registered = { readonly number: number; readonly backend: number }

export const createWorker = ({ notifications, query, due, prepare }: WorkerContext): Worker => {
  /** `null`: nobody asked for a registration; `undefined`: it is being made. */
  let number: number | null | undefined = null

  /** Takes over the claims of lost workers. Returns the time to wait before the next check, in milliseconds. */
  const check = async (own: Registered): Promise<number> => {
    const checked = await checkWorkers(query, own.number)
    if (checked?.backend === own.backend) throw new Error(sharedConnections)
    if (!checked?.is_registered) throw new Error(forgotten)
    if (checked.released === 0) return Math.min(checkMs, checked.wait_ms ?? checkMs)
    due.announce()
    return 0
  }

  const keepChecking = async (own: Registered, firstMs: number, over: AbortSignal): Promise<void> => {
    for (let waitMs = firstMs; ; ) {
      await setTimeout(waitMs, undefined, { ref: false })
      if (over.aborted) return
      try {
        waitMs = await check(own)
      } catch (error) {
        if (over.aborted) return
        if (!(error instanceof StorageUnavailableError)) throw error
        // The session that holds the lock may still be connected. Its own connection reports when it is not.
        waitMs = checkMs
      }
    }
  }

  return {
    number: () => number,
    register: (lost) => {
      number = undefined
      const stopped = new AbortController()
      const letGo = notifications.hold(async ({ client, gone, giveUp }) => {
        await prepare(client)
        const { rows } = await client.query<Registered>(registerWorker)
        const [own] = rows
        if (own === undefined) return
        const waitMs = await check(own)
        const over = AbortSignal.any([gone, stopped.signal])
        if (over.aborted) return
        number = own.number
        gone.addEventListener('abort', () => {
          if (stopped.signal.aborted) return
          number = undefined
          lost()
        })
        due.announce()
        keepChecking(own, waitMs, over).catch(giveUp)
        stopped.signal.addEventListener('abort', () => client.query(unregister).catch(() => {}))
      })
      return () => {
        stopped.abort()
        number = null
        letGo()
      }
    },
  }
}
