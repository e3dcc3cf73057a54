import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  createReceiver,
  type ReceiverOptions,
  sqlDedupe,
  sqlDedupeTable,
  sqlInbox,
  unsigned,
} from '@wabakit/webhooks'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { claim } from './dedupe-cases.ts'
import { createEffects, type InboxOrder, toRequest } from './inbox-process.ts'
import { startPostgres } from './postgres.ts'

let postgres: Awaited<ReturnType<typeof startPostgres>>
let pool: Pool
beforeAll(async () => {
  postgres = await startPostgres()
  pool = postgres.pool()
  await pool.query(sqlDedupeTable())
  await pool.query('CREATE TABLE effects (id text, part int)')
}, 30_000)
afterAll(() => postgres.stop())

const newId = () => `msg_${crypto.randomUUID()}`

const readEffects = async (id: string): Promise<number[]> =>
  (await pool.query('SELECT part FROM effects WHERE id = $1 ORDER BY part', [id])).rows.map(
    ({ part }) => part,
  )

const writePart = (transaction: PoolClient, id: string | undefined, part: number) =>
  transaction.query('INSERT INTO effects (id, part) VALUES ($1, $2)', [id, part])

const receive = (options: Partial<ReceiverOptions<PoolClient>> = {}) => {
  const errors: unknown[] = []
  const receiver = createReceiver<PoolClient>({
    verify: unsigned(),
    dedupe: sqlInbox(pool),
    ...options,
  }).onError((error, { stage }) => errors.push([stage, error]))
  const send = async (id: string) => (await receiver.handle(toRequest(id))).status
  /** Sends a delivery until the connection of the attempt before it is gone. */
  const sendAgain = (id: string) =>
    vi.waitFor(async () => {
      const status = await send(id)
      expect(status).not.toBe(409)
      return status
    })
  return { receiver, errors, send, sendAgain }
}

describe('sqlInbox on a real PostgreSQL', () => {
  it('commits what the handler wrote and the delivery together, once', async () => {
    const { receiver, send } = receive()
    receiver.onUnknown((_, { delivery, transaction }) => writePart(transaction, delivery.id, 1))
    const id = newId()
    expect([await send(id), await send(id), await readEffects(id)]).toEqual([200, 200, [1]])
  })

  it('rolls back what every handler wrote when one of them fails, and lets the next attempt handle it', async () => {
    const { receiver, errors, send, sendAgain } = receive()
    let fails = true
    receiver
      .onUnknown((_, { delivery, transaction }) => writePart(transaction, delivery.id, 1))
      .onUnknown(() => {
        if (fails) throw new Error('crash')
      })
    const id = newId()
    expect([await send(id), await readEffects(id), errors]).toEqual([
      500,
      [],
      [['handler', new Error('crash')]],
    ])
    fails = false
    expect([await sendAgain(id), await readEffects(id)]).toEqual([200, [1]])
  })

  it('does not record a delivery as handled when a handler hides that its statement failed', async () => {
    const { receiver, errors, send, sendAgain } = receive()
    let statement = 'SELECT 1 / 0'
    receiver.onUnknown(async (_, { delivery, transaction }) => {
      await writePart(transaction, delivery.id, 1)
      await transaction.query(statement).catch(() => {})
    })
    const id = newId()
    expect([await send(id), await readEffects(id)]).toEqual([503, []])
    expect(errors).toMatchObject([['dedupe', { message: expect.stringContaining('aborted') }]])
    statement = 'SELECT 1'
    expect([await sendAgain(id), await readEffects(id)]).toEqual([200, [1]])
  })

  it('lets one of many receivers handle a delivery, and makes none of the others wait', async () => {
    const others = Promise.withResolvers<void>()
    const { receiver, send } = receive()
    receiver.onUnknown(async (_, { delivery, transaction }) => {
      await writePart(transaction, delivery.id, 1)
      await others.promise
    })
    const id = newId()
    const statuses: number[] = []
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        statuses.push(await send(id))
        if (statuses.length === 19) others.resolve()
      }),
    )
    expect(statuses).toEqual([...Array.from({ length: 19 }, () => 409), 200])
    expect([await send(id), await readEffects(id)]).toEqual([200, [1]])
  })

  it('does not let a handler write anything after it timed out', async () => {
    const { receiver, send } = receive({ handlerTimeoutMs: 50 })
    const late = Promise.withResolvers<unknown>()
    receiver.onUnknown(async (_, { delivery, signal, transaction }) => {
      await writePart(transaction, delivery.id, 1)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      setTimeout(() => writePart(transaction, delivery.id, 2).then(late.resolve, late.resolve), 20)
      await new Promise(() => {})
    })
    const id = newId()
    expect(await send(id)).toBe(500)
    expect(await late.promise).toBeInstanceOf(Error)
    expect(await readEffects(id)).toEqual([])
  })

  it('survives a connection that breaks while the handler is busy elsewhere', async () => {
    const { receiver, errors, send, sendAgain } = receive()
    let breaks = true
    receiver.onUnknown(async (_, { delivery, transaction }) => {
      await writePart(transaction, delivery.id, 1)
      if (!breaks) return
      const { rows } = await transaction.query('SELECT pg_backend_pid() AS pid')
      const ended = new Promise((resolve) => transaction.once('end', resolve))
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
      await ended
    })
    const id = newId()
    expect([await send(id), await readEffects(id)]).toEqual([503, []])
    expect(errors).toMatchObject([['dedupe', expect.any(Error)]])
    breaks = false
    expect([await sendAgain(id), await readEffects(id)]).toEqual([200, [1]])
  })

  it('responds 503 while the database cannot be reached', async () => {
    const connect = () => Promise.reject(new Error('down'))
    const { receiver, errors, send } = receive({ dedupe: sqlInbox<PoolClient>({ connect }) })
    const handle = vi.fn()
    receiver.onUnknown(handle)
    expect([await send(newId()), errors]).toEqual([503, [['dedupe', new Error('down')]]])
    expect(handle).not.toHaveBeenCalled()
  })

  it('returns every connection, whatever the outcome of a delivery', async () => {
    const small = postgres.pool({ max: 1 })
    const { receiver, sendAgain, send } = receive({ dedupe: sqlInbox<PoolClient>(small) })
    let fails = false
    receiver.onUnknown((_, { transaction }) => transaction.query(fails ? 'SELECT 1 / 0' : 'SELECT 1'))
    for (let round = 0; round < 15; round += 1) {
      const id = newId()
      fails = true
      expect(await send(id)).toBe(500)
      fails = false
      expect([await sendAgain(id), await send(id)]).toEqual([200, 200])
    }
    for (let round = 0; round < 15; round += 1) expect(await send(newId())).toBe(200)
    const client = await small.connect()
    const listeners = client.listenerCount('error')
    client.release()
    expect(listeners).toBeLessThan(5)
  })

  it('handles a delivery again after its retention', async () => {
    const { receiver, send } = receive({ dedupe: sqlInbox<PoolClient>(pool, { ttlMs: 1 }) })
    receiver.onUnknown((_, { delivery, transaction }) => writePart(transaction, delivery.id, 1))
    const id = newId()
    await send(id)
    await vi.waitFor(async () => {
      expect(await send(id)).toBe(200)
      expect(await readEffects(id)).toEqual([1, 1])
    })
  })

  it('deletes expired rows', async () => {
    await pool.query(sqlDedupeTable({ table: 'swept_inbox' }))
    const inbox = sqlInbox<PoolClient>(pool, { table: 'swept_inbox', ttlMs: 1 })
    for (let round = 0; round < 125; round += 1) {
      const keys = Array.from({ length: 8 }, (_, index) => `${round} ${index}`)
      await Promise.all(keys.map((key) => inbox.transact(key, async () => true)))
    }
    const { rows } = await pool.query('SELECT count(*)::int AS left FROM swept_inbox')
    expect(rows[0].left).toBeLessThan(100)
  }, 60_000)

  it('respects what sqlDedupe completes or claims in the same table, even concurrently', async () => {
    const dedupe = sqlDedupe(pool)
    const { receiver, send } = receive()
    let meanwhile: (() => Promise<unknown>) | undefined
    receiver.onUnknown(async (_, { delivery, transaction }) => {
      await writePart(transaction, delivery.id, 1)
      await meanwhile?.()
    })
    const id = newId()
    const claimed = await claim(dedupe, `id:${id}`)
    expect(await send(id)).toBe(409)
    await claimed.complete()
    expect([await send(id), await readEffects(id)]).toEqual([200, []])

    const other = newId()
    meanwhile = () => claim(dedupe, `id:${other}`)
    expect([await send(other), await readEffects(other)]).toEqual([503, []])
  })

  it('rejects an early response, and invalid table names', () => {
    expect(() => receive({ ack: 'before' })).toThrow(/commits before it responds/)
    expect(() => sqlInbox(pool, { table: 'a; DROP TABLE b' })).toThrow(RangeError)
  })
})

describe('a process that handles a delivery in an inbox and is killed', () => {
  const start = (order: InboxOrder): ChildProcess =>
    spawn(
      process.execPath,
      [
        '--conditions=@wabakit/source',
        new URL('./inbox-process.ts', import.meta.url).pathname,
        JSON.stringify(order),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )

  const readOutput = async (child: ChildProcess): Promise<string> => {
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
      if (output.includes('stopped')) child.kill('SIGKILL')
    })
    const [, signal] = await once(child, 'close')
    return `${output.trim()} ${signal}`
  }

  /** BEGIN, lock, select, two inserts of the handler, complete, COMMIT, and the response. */
  const steps = 8

  it('takes as many steps as the other tests assume', async () => {
    const child = start({
      connectionString: postgres.connectionString,
      id: newId(),
      stopAt: 0,
      mode: 'before',
    })
    expect(await readOutput(child)).toBe(`200 after ${steps} steps null`)
  }, 60_000)

  it.concurrent.each(
    Array.from({ length: steps }, (_, index) => index + 1).flatMap((stopAt) => [
      { stopAt, mode: 'before' as const },
      { stopAt, mode: 'sent' as const },
    ]),
  )(
    '$mode step $stopAt leaves everything or nothing, and the next attempt handles it once',
    async ({ stopAt, mode }) => {
      const id = newId()
      expect(
        await readOutput(start({ connectionString: postgres.connectionString, id, stopAt, mode })),
      ).toMatch(/SIGKILL$/)
      const left = await readEffects(id)
      if (stopAt < steps - 1) expect(left).toEqual([])
      if (stopAt === steps) expect(left).toEqual([1, 2])
      await vi.waitFor(
        async () => expect((await createEffects(pool).handle(toRequest(id))).status).toBe(200),
        10_000,
      )
      expect(await readEffects(id)).toEqual([1, 2])
    },
    60_000,
  )
})
