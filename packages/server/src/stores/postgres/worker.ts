import { setTimeout } from 'node:timers/promises'
import { StorageUnavailableError } from '@wabakit/core'
import type pg from 'pg'
import type { DueChannel } from './due-channel.ts'
import type { Notifications } from './notifications.ts'

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
  /** Does one statement in a transaction of its own. */
  query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]>
  readonly due: Pick<DueChannel, 'announce'>
  readonly notifications: Pick<Notifications, 'hold'>
  /** Makes a new connection ready for our statements. */
  prepare(client: pg.Client): Promise<void>
}

/** How often a worker looks for others that are lost, and whether it is so itself. */
const lookMs = 250

const sharedConnections =
  'PostgreSQL is reached through a pooler that shares connections among its clients, so this worker cannot be registered ' +
  'and delivers nothing. Set the pooler to session mode, or connect without it.'
const forgotten = 'PostgreSQL lost the registration of this worker. Its attempts end, and it registers again.'

const register = `SELECT wabakit.register_worker() AS number, pg_backend_pid() AS backend`
const unregister = `SELECT pg_advisory_unlock_all()`
const lookAfter = `SELECT pg_backend_pid() AS backend, w.* FROM wabakit.look_after_workers($1) AS w`

type Registered = { readonly number: number; readonly backend: number }
type Looked = {
  readonly backend: number
  readonly is_registered: boolean
  readonly released: number
  readonly wait_ms: number | null
}

/** Makes a worker, which is not registered. */
export const createWorker = ({ notifications, query, due, prepare }: WorkerContext): Worker => {
  /** `null`: nobody asked for a registration; `undefined`: it is being made. */
  let number: number | null | undefined = null

  /** Takes over what is to be taken over. Returns how long to wait before the next look, in milliseconds. */
  const look = async (own: Registered): Promise<number> => {
    const [looked] = await query<Looked>(lookAfter, [own.number])
    if (looked?.backend === own.backend) throw new Error(sharedConnections)
    if (!looked?.is_registered) throw new Error(forgotten)
    if (looked.released === 0) return Math.min(lookMs, looked.wait_ms ?? lookMs)
    due.announce()
    return 0
  }

  const keepLooking = async (own: Registered, firstMs: number, over: AbortSignal): Promise<void> => {
    for (let waitMs = firstMs; ; ) {
      await setTimeout(waitMs, undefined, { ref: false })
      if (over.aborted) return
      try {
        waitMs = await look(own)
      } catch (error) {
        if (over.aborted) return
        if (!(error instanceof StorageUnavailableError)) throw error
        // The session that holds the lock may be well: whether it is, its own connection tells.
        waitMs = lookMs
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
        const { rows } = await client.query<Registered>(register)
        const [own] = rows
        if (own === undefined) return
        const waitMs = await look(own)
        const over = AbortSignal.any([gone, stopped.signal])
        if (over.aborted) return
        number = own.number
        gone.addEventListener('abort', () => {
          if (stopped.signal.aborted) return
          number = undefined
          lost()
        })
        due.announce()
        keepLooking(own, waitMs, over).catch(giveUp)
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
