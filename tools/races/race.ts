import { setImmediate } from 'node:timers/promises'
import type { Store } from '@wabakit/core'
import pg from 'pg'
import { functionSchema } from '../../packages/server/src/stores/postgres/functions/index.ts'
import {
  openPostgres,
  type PostgresDatabase,
} from '../../packages/server/src/stores/postgres/open-postgres.ts'
import { postgresStore } from '../../packages/server/src/stores/postgres/postgres-store.ts'
import { createQueueChanges } from '../../packages/server/src/stores/postgres/queue-changes.ts'
import { prepareSession } from '../../packages/server/src/stores/postgres/session.ts'
import { toStorageError } from '../../packages/server/src/stores/postgres/storage-errors.ts'
import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import {
  addGates,
  type Footprint,
  type Gate,
  type Mistake,
  readFootprint,
  type Step,
  unite,
} from './gates.ts'
import { closeGates, firstToldKey, raceSchema, sessions } from './race-schema.ts'
import { saveRows } from './saved-rows.ts'

/**
 * Steps store operations through their statements on real connections, like PostgreSQL's isolation tester. A session
 * waits before each statement that others can notice, even within a function, and before it commits:
 *
 *   running -> at a gate    it asks for a lock that the control connection holds
 *   at a gate -> running    the control connection let it go
 *   running -> blocked      it waits for a lock of another session
 *   blocked -> running      the other session has committed
 *   running -> ended        the operation has an outcome
 *
 * A step releases one session, and ends when no session is running. Nothing depends on time.
 */
export type Race = {
  /** Calls a store without gates, and saves the database as the start of each order. */
  prepare<Result>(work: (store: Store) => Promise<Result>): Promise<Result>
  /** Sets the gates, by label, at which each session does not wait. */
  skip(labels: readonly ReadonlySet<string>[]): Promise<void>
  /**
   * Runs operations concurrently, each in its own session.
   *
   * @param choose - returns the session to release; `undefined` abandons the order and releases all sessions.
   */
  run(operations: readonly Operation[], choose: Choose): Promise<Ran>
  /** Runs a statement on the control connection. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>
  /** Replaces the store's functions with those that have a mistake, or with the correct ones. */
  plant(mistake: Mistake | undefined): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A call to a store. */
export type Operation = { readonly name: string; run(store: Store): Promise<unknown> }

/** A session waiting at a gate. */
export type Waiting = { readonly session: number; readonly label: string; readonly step: Step }

/** @param moved - the steps since the last choice: one, and those it unblocked. */
export type Choose = (waiting: readonly Waiting[], moved: readonly Step[]) => number | undefined

export type Ran = {
  /** The result or error of each operation. */
  readonly outcomes: readonly unknown[]
  /** The steps in order. */
  readonly order: readonly string[]
  readonly isGivenUp: boolean
}

const commit = 'commit'

const toError = (error: unknown): unknown =>
  error instanceof Error
    ? { error: error.name, cause: error.cause instanceof Error ? error.cause.message : error.message }
    : error

type Session = {
  readonly client: pg.Client
  readonly pid: number
  /** The footprints of its transaction so far. */
  done: Footprint[]
}

/** Starts a server with a store's database, and connects sessions to it. */
export const createRace = async (): Promise<Race> => {
  const cluster = await createCluster({
    settings: { track_commit_timestamp: 'on', autovacuum: 'off', deadlock_timeout: '50ms' },
  })
  const url = await cluster.createDatabase()
  const database = await openPostgres({ url, onWarning: () => {} })
  const plain = postgresStore(database)
  const control = new pg.Client(url)
  await control.connect()
  await control.query(raceSchema(functionSchema))

  let gates: Gate[] = []
  const numbers = new Map<string, number>()
  const plant = async (mistake: Mistake | undefined): Promise<void> => {
    const stepped = addGates(mistake)
    await control.query(stepped.sql)
    gates = [...stepped.gates, { label: commit, footprint: commit }]
    numbers.clear()
    numbers.set(commit, gates.length - 1)
  }
  await plant(undefined)

  const findNumber = (sql: string): number | undefined => {
    const footprint = readFootprint(sql)
    if (footprint.reads.size + footprint.locks.size === 0) return undefined
    const number =
      numbers.get(sql) ??
      gates.push({ label: sql.replaceAll(/\s+/g, ' ').trim().slice(0, 70), footprint }) - 1
    numbers.set(sql, number)
    return number
  }

  const connect = async (_: unknown, session: number): Promise<Session> => {
    const client = new pg.Client(url)
    await client.connect()
    await prepareSession(client, 120_000)
    await client.query(`SET race.session = ${session}; SET race.skipped = '{}'`)
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return { client, pid: rows[0]?.pid ?? 0, done: [] }
  }
  const all = await Promise.all(Array.from({ length: sessions }, connect))

  /** Returns a store whose statements are stepped. It remembers nothing from other orders. */
  const openStore = (session: Session): Store => {
    const { client } = session
    const query: PostgresDatabase['query'] = async <Row extends pg.QueryResultRow>(
      sql: string,
      values: readonly unknown[] = [],
    ) => {
      const number = findNumber(sql)
      try {
        session.done = []
        await client.query(number === undefined ? 'BEGIN' : `BEGIN; SELECT race.gate(${number})`)
        const { rows } = await client.query<Row>(sql, [...values])
        await client.query(`SELECT race.gate(${numbers.get(commit)}); COMMIT`)
        return rows
      } catch (error) {
        await client.query('ROLLBACK')
        throw toStorageError(error, true)
      }
    }
    const messaging = {
      notifications: { listen: () => () => {}, hold: () => () => {}, close: () => {} },
      notify: async () => {},
      sender: '',
    }
    return postgresStore({
      query,
      read: query,
      queueChanges: createQueueChanges({ ...messaging, read: query }),
      worker: {
        renew: async (_, write) => (await write()) ?? { workers: [], shards: [], renewInMs: 0 },
        end: () => {},
      },
      close: async () => {},
    })
  }

  /** Statements that restore the prepared rows. */
  let restore = ''
  type Place = { readonly session: number; readonly place: number | undefined }
  type LockRow = { pid: number; granted: boolean; classid: number; objid: number; objsubid: number }
  const step = async (letGo: Place | undefined, active: ReadonlySet<number>): Promise<LockRow[]> => {
    const pids = [...active].map((session) => all[session]?.pid)
    const { rows } = await control.query<LockRow>({
      name: 'step',
      text: 'SELECT * FROM race.step($1, $2, $3)',
      values: [letGo?.session, letGo?.place, pids],
    })
    return rows
  }

  const getStep = (session: Session, footprint: Gate['footprint']): Step =>
    footprint === commit ? { footprint: unite(session.done), isCommit: true } : { footprint, isCommit: false }

  let runs = 0
  const run: Race['run'] = async (operations, choose) => {
    if (++runs % 100 === 0) await control.query('VACUUM')
    await control.query(`${restore};${closeGates(operations.length)}`)
    const outcomes: unknown[] = operations.map(() => undefined)
    const active = new Set(operations.keys())
    for (const [session, operation] of operations.entries()) {
      const own = all[session]
      if (own === undefined) throw new Error('There are not enough sessions.')
      operation
        .run(openStore(own))
        .catch(toError)
        .then((outcome) => {
          outcomes[session] = outcome
          active.delete(session)
        })
    }
    const order: string[] = []
    const blocked = new Map<number, Step>()
    let passed: (Place & { readonly step: Step }) | undefined

    /**
     * Waits until each session is at a gate, is blocked or has ended. Returns the sessions at a gate, with their
     * places.
     */
    const waitUntilStill = async (letGo: Place | undefined) => {
      for (let first = letGo; ; first = undefined) {
        const running = [...active]
        const locks = await step(first, active)
        const waiting = running.flatMap((session) => {
          const { pid } = all[session] ?? {}
          const own = locks.filter((lock) => lock.pid === pid)
          const asked = own.find(({ granted }) => !granted)
          if (asked === undefined) return []
          const isAtGate = asked.objsubid === 2 && asked.classid === session
          const gate = own.find(
            ({ granted, classid }) => granted && classid === firstToldKey + session,
          )?.objid
          return { session, place: isAtGate ? asked.objid : undefined, gate: isAtGate ? gate : undefined }
        })
        const isStill = waiting.length === running.length && running.every((session) => active.has(session))
        const atGate = waiting.filter(({ place }) => place !== undefined)
        // If all sessions are blocked, it is a deadlock, and PostgreSQL ends one of them.
        if (isStill && (atGate.length > 0 || active.size === 0)) return { atGate, waiting }
        if (active.size === 0) return { atGate: [], waiting: [] }
        await setImmediate()
      }
    }

    const open = async (): Promise<void> => {
      await control.query(`SELECT pg_advisory_unlock_all()`)
    }
    try {
      for (;;) {
        const { atGate, waiting } = await waitUntilStill(passed)
        const isBlocked = (session: number): boolean =>
          waiting.some((each) => each.session === session && each.place === undefined)
        const moved = passed === undefined ? [] : [passed.step]
        for (const [session, step] of blocked) {
          if (isBlocked(session)) continue
          blocked.delete(session)
          moved.push(step)
        }
        if (passed !== undefined && isBlocked(passed.session)) blocked.set(passed.session, passed.step)
        if (atGate.length === 0) return { outcomes, order, isGivenUp: false }
        const choices = atGate.map(({ session, gate = -1 }): Waiting => {
          const { label = '', footprint = commit } = gates[gate] ?? {}
          return { session, label, step: getStep(all[session] as Session, footprint) }
        })
        const choice = choose(choices, moved)
        const chosen = choices.find(({ session }) => session === choice)
        if (chosen === undefined) {
          await open()
          while (active.size > 0) await setImmediate()
          return { outcomes, order, isGivenUp: true }
        }
        const { session, step, label } = chosen
        if (!step.isCommit) all[session]?.done.push(step.footprint)
        passed = { session, step, place: atGate.find((each) => each.session === session)?.place }
        order.push(`${session + 1} ${label}`)
      }
    } finally {
      await open()
    }
  }

  return {
    prepare: async (work) => {
      const result = await work(plain)
      restore = await saveRows(control)
      return result
    },
    skip: async (labels) => {
      for (const [session, { client }] of all.entries()) {
        const skipped = [...gates.keys()].filter((gate) => labels[session]?.has(gates[gate]?.label ?? ''))
        await client.query(`SET race.skipped = '{${skipped}}'`)
      }
    },
    run,
    query: async <Row extends pg.QueryResultRow>(sql: string) => (await control.query<Row>(sql)).rows,
    plant,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([control.end(), plain.close(), ...all.map(({ client }) => client.end())])
      await cluster.remove()
    },
  }
}
