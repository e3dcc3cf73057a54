import { DatabaseSync } from 'node:sqlite'
import { runInNewContext } from 'node:vm'
import {
  bearerAuth,
  createReceiver,
  diagnose,
  generateSecret,
  signWebhook,
  sqlInbox,
  unsigned,
  type Verifier,
  verifySignature,
} from '@wabakit/webhooks'
import { expect, it } from 'vitest'
import { joined, secret } from './signed.ts'

// The globals of another realm, as under jsdom and in jest: `instanceof` does not recognize what they create.
const foreign: typeof globalThis = runInNewContext('globalThis')
const body = JSON.stringify(joined)
const toForeign = (bytes: Uint8Array): Uint8Array => foreign.Uint8Array.from(bytes)
const foreignBody = toForeign(new TextEncoder().encode(body))

/** Turns bytes anywhere in a driver's result into those of another realm. */
const convert = (value: unknown): unknown => {
  if (ArrayBuffer.isView(value)) return toForeign(value as Uint8Array)
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, convert(each)]))
}

const request = (headers: Record<string, string> = {}) =>
  new Request('http://localhost', {
    method: 'POST',
    headers,
    body: new ReadableStream({
      start: (controller) => {
        controller.enqueue(foreignBody)
        controller.close()
      },
    }),
    duplex: 'half',
  } as RequestInit)

it('is another realm', () => {
  expect(foreignBody instanceof Uint8Array).toBe(false)
})

it('bytes of a request are received', async () => {
  const events: unknown[] = []
  const receiver = createReceiver({ verify: bearerAuth({ token: 't0ken' }) }).onAny((event) =>
    events.push(event),
  )
  expect((await receiver.handle(request({ authorization: 'Bearer t0ken' }))).status).toBe(200)
  expect(events).toEqual([joined])
})

it('a promise of a date is accepted from a verifier', async () => {
  const ids: unknown[] = []
  const verify = (() =>
    foreign.Promise.resolve({ id: 'm-1', sentAt: new foreign.Date(1_000) })) as unknown as Verifier
  const receiver = createReceiver({ verify }).onAny((_, { delivery, attempt }) =>
    ids.push([delivery.id, attempt.at?.getTime()]),
  )
  expect((await receiver.handle(request())).status).toBe(200)
  expect(ids).toEqual([['m-1', 1_000]])
})

it('bytes are verified and diagnosed', async () => {
  const { headers, id } = await signWebhook({ payload: foreignBody, secret })
  expect(await verifySignature({ payload: foreignBody, headers, secrets: [secret] })).toMatchObject({ id })
  const wrong = await diagnose({ payload: foreignBody, headers, secrets: [generateSecret()] })
  expect(wrong?.cause).toBe('wrong_secret')
})

it('bytes and errors of a database work in an inbox', async () => {
  using database = new DatabaseSync(':memory:')
  const wrapped = new Proxy(database, {
    get: (target, name) => {
      if (name !== 'prepare') {
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return (text: string) => {
        const statement = target.prepare(text)
        return new Proxy(statement, {
          get: (inner, method) => {
            const value = Reflect.get(inner, method)
            if (typeof value !== 'function') return value
            return (...values: never[]) => convert(value.apply(inner, values))
          },
        })
      }
    },
  })
  const inbox = sqlInbox(wrapped, { dialect: 'sqlite' })
  const events: unknown[] = []
  const failures: unknown[] = []
  const receiver = createReceiver({ verify: unsigned(), inbox })
    .onAny((event, { atCompletion }) => {
      events.push(event)
      if (events.length === 1)
        atCompletion(() => {
          throw new foreign.Error('a foreign failure')
        })
    })
    .onError((error) => failures.push(Object(error).message))
  expect((await receiver.handle(request())).status).toBe(200)
  expect(await receiver.accept(toForeign(new TextEncoder().encode(body.replace('g-1', 'g-2'))))).toBe(
    'stored',
  )
  await receiver.drain()
  expect(events).toEqual([joined, { ...joined, groupId: 'g-2' }])
  expect(failures).toEqual(['a foreign failure'])
  await receiver.stop()
})
