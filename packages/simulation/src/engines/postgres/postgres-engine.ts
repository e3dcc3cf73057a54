import { memoryStore, StorageUnavailableError, type Store } from '@wabakit/core'
import { createServiceClock } from '@wabakit/core/hosting'
import pg from 'pg'
import { createChanges } from '../../../../server/src/stores/postgres/changes.ts'
import { createDueChannel } from '../../../../server/src/stores/postgres/due-channel.ts'
import { createNotifications } from '../../../../server/src/stores/postgres/notifications.ts'
import type { PostgresDatabase } from '../../../../server/src/stores/postgres/open-postgres.ts'
import type { Query } from '../../../../server/src/stores/postgres/query.ts'
import { createQueue } from '../../../../server/src/stores/postgres/queue.ts'
import { toReadError } from '../../../../server/src/stores/postgres/storage-errors.ts'
import { createWorker } from '../../../../server/src/stores/postgres/worker.ts'
import { getTrueTime, type RunContext } from '../../cluster/run-context.ts'
import { recordCalls } from '../../histories/history.ts'
import type { Engine, StoreUser } from '../engine.ts'
import { observeCommits, observePromises } from '../observed-store.ts'
import { createRemoteCalls } from '../remote-calls.ts'
import { useClockOfStore } from '../shared-clock.ts'
import { renameDeliveries } from './rename-deliveries.ts'
import { createSessions } from './simulated-sessions.ts'
import { createExecute, getFunctionName } from './simulated-statements.ts'
import { createWorkers } from './simulated-workers.ts'

/** A failure that PostgreSQL reports when a statement would have to wait for a lock for too long. */
const createLockError = (): StorageUnavailableError => {
  const cause = new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error')
  cause.code = '55P03'
  return new StorageUnavailableError('Simulated: the lock is taken.', { cause })
}

/**
 * The real code of the PostgreSQL store that runs in our processes: batches, claims and settlements, registered workers and
 * their takeover, notifications. A simulated server executes the statements, by the memory store. The seam is `Query`, one
 * statement in a transaction of its own, and the client of the listening connection. So the SQL functions, the pool of
 * connections and the protocol are left out, and reads and changes of subscriptions go to the memory store.
 */
export const createPostgresEngine = (run: RunContext): Engine => {
  const base = renameDeliveries(memoryStore())
  const workers = createWorkers(run, base)
  const remote = createRemoteCalls(run)
  const sessions = createSessions(run, {
    isAvailable: remote.isAvailable,
    register: workers.register,
    unregister: workers.unregister,
  })

  const connect = (user: StoreUser): PostgresDatabase => {
    const store = observeCommits(recordCalls(base, user.name, run.record), run, user.name)
    const execute = createExecute({ ...run, store, workers, notifyAll: sessions.notifyAll })
    const query: Query = async (sql, values = []) => {
      const name = getFunctionName(sql)
      // `as`: the statements of this package know the rows that they get.
      return (await remote.send(user, { name, isRead: false, createAbort: createLockError }, () =>
        execute(sql, values),
      )) as never
    }
    const read: Query = async (sql, values) => {
      try {
        return await query(sql, values)
      } catch (error) {
        throw toReadError(error)
      }
    }
    const notifications = createNotifications({
      connect: () => sessions.createClient(user) as unknown as pg.Client,
      onError: () => {},
    })
    const notify = async (channel: string, payload: string): Promise<void> => {
      await query('SELECT pg_notify($1, $2)', [channel, payload])
    }
    const due = createDueChannel({ notifications, notify, sender: user.owner.name })
    const worker = createWorker({ notifications, query, due, prepare: async () => {} })
    const attempts = { follow: async () => () => {}, share: () => () => {}, close: () => {} }
    const close = async (): Promise<void> => {
      due.close()
      notifications.close()
    }
    return { query, read, due, worker, attempts: attempts as unknown as PostgresDatabase['attempts'], close }
  }

  return {
    committed: base,
    open: (user) => {
      // As `openPostgres` does: the time counts after which claims of lost workers are taken over.
      if (remote.isAvailable()) void workers.check(null)
      run.record?.({ server: user.name, method: 'process started', now: getTrueTime(run) })
      const database = connect(user)
      const recorded = recordCalls(base, user.name, run.record)
      const clocked = useClockOfStore(recorded, () => getTrueTime(run))
      const direct = remote.wrap(user, observeCommits(clocked, run, user.name))
      const { findGroup, findParticipant, listParticipants, findCall, listCalls } = direct
      // As the PostgreSQL store does, whose SQL is left out here.
      const announce = async <Result>(change: Promise<Result>): Promise<Result> => {
        const result = await change
        database.due.announce()
        return result
      }
      const reads = { findGroup, findParticipant, listParticipants, findCall, listCalls }
      const store: Store = {
        ...direct,
        ...createChanges(database),
        ...reads,
        ...createQueue(database),
        resendDeliveries: (query) => announce(direct.resendDeliveries(query)),
        erase: (request) => announce(direct.erase(request)),
        close: database.close,
      }
      return {
        store: observePromises(store, run, user.name),
        clock: createServiceClock({ wall: user.wall, elapsed: user.elapsed, startAt: getTrueTime(run) }),
      }
    },
    abandon: ({ name }) => sessions.end(name),
    endSession: sessions.end,
    setAvailable: remote.setAvailable,
  }
}
