import { setTimeout } from 'node:timers/promises'
import { createReceiver, type InboxRetention, type SqlInboxOptions, unsigned } from '@wabakit/webhooks'
import { describe, onTestFinished, vi } from 'vitest'
import { testOptions } from '../../../../tools/option-cases.ts'
import { type Environment, newTable, receive, toEnd, toJoin, toRequest } from './environment.ts'

const day = 86_400_000
const unknown = { event: 'NEW_EVENT' }

/** Every option of an inbox. */
export const inboxOptionCases = (environment: () => Environment): void => {
  const setUp = (options: SqlInboxOptions) => receive(environment(), { onParked: () => {}, ...options })
  const ownTable = newTable()
  const parked: unknown[] = []

  /** Returns what is left of an entry some days after it was handled or parked. */
  const age = async (retention: InboxRetention, isHandled: boolean) => {
    const table = newTable()
    let time = Date.UTC(2026, 0, 1)
    const clock = { now: () => time }
    const seen: [days: number, left: string][] = []
    for (const days of [0, 1, 6, 8, 29, 31, 36, 38, 59, 61]) {
      time = Date.UTC(2026, 0, 1) + days * day
      // A receiver deletes what has expired once a minute.
      const { receiver, inbox } = setUp({ table, retention, clock })
      if (isHandled) receiver.onAny(() => {})
      if (days === 0) await receiver.handle(toRequest(isHandled ? toEnd('c') : unknown, 'a'))
      await receiver.drain()
      const [entry] = await inbox.list()
      const body = entry && (await inbox.show(entry.id))?.body
      seen.push([days, entry === undefined ? 'nothing' : body === undefined ? 'key' : 'body'])
    }
    const getLast = (left: string) => seen.findLast((each) => each[1] === left)?.[0]
    return { body: getLast('body'), key: getLast('key') }
  }

  describe('every option', () => {
    testOptions<SqlInboxOptions>('sqlInbox()', {
      table: {
        see: async (options) => {
          const { inbox, query } = environment()
          const receiver = createReceiver({ verify: unsigned(), inbox: inbox(options) })
          const id = crypto.randomUUID()
          await receiver.handle(toRequest(toEnd('c'), id))
          const found: string[] = []
          for (const table of ['wabakit_inbox', ownTable]) {
            const text = `SELECT id FROM ${table} WHERE delivery_id = '${id}'`
            const rows = await Promise.resolve()
              .then(() => query(text))
              .catch(() => [])
            if (rows.length > 0) found.push(table === ownTable ? 'own' : table)
          }
          return found
        },
        cases: [
          [{}, ['wabakit_inbox']],
          [{ table: ownTable }, ['own']],
        ],
      },
      concurrency: {
        see: async (options) => {
          const { receiver } = setUp(options)
          let [running, most] = [0, 0]
          receiver.onAny(async () => {
            running += 1
            most = Math.max(most, running)
            await setTimeout(20)
            running -= 1
          })
          for (let group = 0; group < 12; group++)
            await receiver.handle(toRequest(toJoin(`${group}`), `${group}`))
          await receiver.drain()
          return most
        },
        cases: [
          [{}, 10],
          [{ concurrency: 3 }, 3],
        ],
      },
      maxAttempts: {
        see: async (options) => {
          let time = Date.UTC(2026, 0, 1)
          const { receiver } = setUp({ clock: { now: () => time }, ...options })
          let attempts = 0
          receiver.onAny(() => {
            attempts += 1
            throw new Error('failed')
          })
          await receiver.handle(toRequest(toEnd('c'), 'a'))
          for (let round = 0; round < 22; round++) {
            await receiver.drain()
            time += 3_700_000
          }
          return attempts
        },
        cases: [
          [{}, 20],
          [{ maxAttempts: 3 }, 3],
        ],
      },
      pollMs: {
        /** The pauses of an idle receiver. */
        see: async (options) => {
          const { receiver } = setUp(options)
          const start = vi.spyOn(globalThis, 'setTimeout')
          onTestFinished(async () => {
            start.mockRestore()
            await receiver.stop()
          })
          receiver.start()
          return () => [77, 1_000].filter((pause) => start.mock.calls.some(([, ms]) => ms === pause))
        },
        cases: [
          [{}, [1_000]],
          [{ pollMs: 77 }, [77]],
        ],
      },
      retention: {
        see: ({ retention = {} }) => age(retention, true),
        cases: [
          [{}, { body: 6, key: 36 }],
          [{ retention: { handledBodyMs: 30 * day } }, { body: 29, key: 59 }],
        ],
      },
      unhandled: {
        see: async (options) => {
          const { receiver, inbox } = setUp(options)
          await receiver.handle(toRequest(unknown, 'a'))
          await receiver.handle(toRequest(toEnd('c'), 'b'))
          await receiver.drain()
          return inbox.count()
        },
        cases: [
          [{}, { parked: 1, unhandled: 1 }],
          [{ unhandled: 'keep' }, { parked: 1, unhandled: 1 }],
          [{ unhandled: 'discard' }, { discarded: 2 }],
        ],
      },
      onParked: {
        /** The number of printed lines, and of calls. */
        see: async (options) => {
          const print = vi.spyOn(console, 'error').mockImplementation(() => {})
          onTestFinished(() => print.mockRestore())
          parked.length = 0
          const { receiver } = receive(environment(), options)
          await receiver.handle(toRequest(unknown, 'a'))
          await receiver.drain()
          return [print.mock.calls.length, parked.length]
        },
        cases: [
          [{}, [1, 0]],
          [{ onParked: (entry) => parked.push(entry) }, [0, 1]],
        ],
      },
      clock: {
        see: async (options) => {
          const { receiver, inbox } = setUp(options)
          await receiver.handle(toRequest(toEnd('c'), 'a'))
          return (await inbox.list())[0]?.receivedAt.getUTCFullYear()
        },
        cases: [
          [{}, new Date().getUTCFullYear()],
          [{ clock: { now: () => Date.UTC(2010, 5) } }, 2010],
        ],
      },
    })

    testOptions<InboxRetention>('retention', {
      handledBodyMs: {
        see: (retention) => age(retention, true),
        cases: [
          [{}, { body: 6, key: 36 }],
          [{ handledBodyMs: 0 }, { body: undefined, key: 29 }],
        ],
      },
      parkedBodyMs: {
        see: (retention) => age(retention, false),
        cases: [
          [{}, { body: 29, key: 59 }],
          [{ parkedBodyMs: 7 * day }, { body: 6, key: 36 }],
        ],
      },
      keyMs: {
        see: (retention) => age(retention, true),
        cases: [
          [{}, { body: 6, key: 36 }],
          [{ keyMs: 23 * day }, { body: 6, key: 29 }],
        ],
      },
    })
  })
}
