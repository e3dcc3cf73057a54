import type { Store } from '@wabakit/core'
import { createServiceClock } from '@wabakit/core/hosting'
import type pg from 'pg'
import { createNotifications } from '../../../../../packages/server/src/stores/postgres/notifications.ts'
import type { PostgresDatabase } from '../../../../../packages/server/src/stores/postgres/open-postgres.ts'
import { postgresStore } from '../../../../../packages/server/src/stores/postgres/postgres-store.ts'
import { createQueueChanges } from '../../../../../packages/server/src/stores/postgres/queue-changes.ts'
import { prepareSession } from '../../../../../packages/server/src/stores/postgres/session.ts'
import {
  toReadError,
  toStorageError,
} from '../../../../../packages/server/src/stores/postgres/storage-errors.ts'
import { createWorker } from '../../../../../packages/server/src/stores/postgres/worker.ts'
import type { RunContext } from '../../cluster/run-context.ts'
import type { Owner } from '../../virtual/event-loop.ts'
import type { SimulatedEngine } from '../engine.ts'
import { observeCommits, observePromises } from '../observed-store.ts'
import { createRemoteCalls } from '../remote-calls.ts'
import type { SharedDatabase } from './shared-database.ts'

/**
 * Creates the real PostgreSQL store on PGlite, behind an unreliable network. Only one server delivers. All statements
 * share one session, so none of them waits for a lock: `npm run test:races` and the torture test cover locks.
 */
export const createPostgresEngine = (run: RunContext, shared: SharedDatabase): SimulatedEngine => {
  const { loop } = run
  const remote = createRemoteCalls(run)
  // Without this, the order of tasks would depend on the speed of the machine.
  shared.watch(loop.waitFor)
  const closing = new Map<string, () => void>()
  const connected = new Map<pg.Client, Owner>()

  const connect = (): pg.Client => {
    const connection = shared.connect()
    connected.set(connection, loop.current())
    return connection
  }

  /**
   * Ends all connections. Notifies each process in a separate task, so that the process owns the timers it
   * starts.
   */
  const disconnect = (): void => {
    shared.disconnect()
    for (const [connection, owner] of connected) {
      loop.schedule({ owner, delayMs: 0, label: 'connection ends' }, () => connection.emit('end'))
    }
    connected.clear()
  }

  const openStore = (sender: string): Store => {
    const query: PostgresDatabase['query'] = async <Row extends pg.QueryResultRow>(
      sql: string,
      values: readonly unknown[] = [],
    ) => {
      try {
        return await shared.query<Row>(sql, values, run.now())
      } catch (error) {
        throw toStorageError(error, true)
      }
    }
    const read: PostgresDatabase['read'] = <Row extends pg.QueryResultRow>(
      sql: string,
      values?: readonly unknown[],
    ) =>
      query<Row>(sql, values).catch((error: unknown) => {
        throw toReadError(error)
      })
    const notifications = createNotifications({ connect, onError: () => {} })
    const notify = async (channel: string, payload: string): Promise<void> => {
      await query('SELECT pg_notify($1, $2)', [channel, payload])
    }
    const messaging = { notifications, notify, sender }
    const queueChanges = createQueueChanges({ ...messaging, read })
    const worker = createWorker({
      notifications,
      queueChanges,
      prepare: (client) => prepareSession(client, 0),
    })
    return postgresStore({
      query,
      read,
      queueChanges,
      worker,
      close: async () => {
        worker.end()
        queueChanges.close()
        notifications.close()
      },
    })
  }

  return {
    committed: openStore('committed'),
    open: (user) => {
      const opened = openStore(`${user.name} at ${loop.now()}`)
      closing.set(user.name, () => void opened.close())
      const store: Store = {
        ...remote.wrap(user, observeCommits(opened, run, user.name)),
        listen: (listener) =>
          opened.listen((change) => {
            const delayMs = run.travel('news', 5)
            loop.schedule({ owner: user.owner, delayMs, label: 'news' }, () => listener(change))
          }),
      }
      const clock = createServiceClock({ ...user, startAt: run.now() })
      return { store: observePromises(store, run), clock }
    },
    abandon: ({ name }) => {
      closing.get(name)?.()
      closing.delete(name)
      disconnect()
    },
    // The server reconnects on its own.
    endSession: () => {
      disconnect()
      return () => {}
    },
    setAvailable: remote.setAvailable,
  }
}
