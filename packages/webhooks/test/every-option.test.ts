import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { createReceiver, memoryDedupe, type ReceiverOptions, sqlInbox, unsigned } from '@wabakit/webhooks'
import { expect, onTestFinished, vi } from 'vitest'
import { type OptionCases, testOptions, testPairs } from '../../../tools/option-cases.ts'

const send = (
  { handle }: { handle: (request: Request) => Promise<Response> },
  { id = 'msg_1', body = '{"event":"CALL_ENDED","callId":"c"}' }: { id?: string; body?: BodyInit } = {},
): Promise<Response> =>
  handle(
    new Request('http://localhost/', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': '1800000000' },
      ...(typeof body !== 'string' && { duplex: 'half' }),
    }),
  )

/** Returns the number of calls of a handler before the responses to a delivery that was sent twice. */
const countCalls = async (options: Partial<ReceiverOptions>): Promise<number> => {
  let calls = 0
  const receiver = createReceiver({ verify: unsigned(), ...options }).onAny(() => void calls++)
  await send(receiver)
  await send(receiver)
  return calls
}

/** Returns the status of a response and its time, in milliseconds, if there is one within a minute. */
const measure = async (respond: () => Promise<Response>) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const startedAt = Date.now()
  let seen: readonly [status: number, ms: number] | undefined
  void respond().then(({ status }) => {
    seen = [status, Date.now() - startedAt]
  })
  await vi.advanceTimersByTimeAsync(60_000)
  vi.useRealTimers()
  return seen
}

const kept: unknown[] = []

const cases: OptionCases<ReceiverOptions> = {
  verify: {
    see: async (options) => {
      try {
        return (await send(createReceiver({ ...options } as ReceiverOptions))).status
      } catch (error) {
        return String(error).includes('verify is required')
      }
    },
    cases: [
      [{}, true],
      [{ verify: unsigned() }, 200],
      [{ verify: () => false }, 401],
    ],
  },
  dedupe: {
    see: countCalls,
    cases: [
      [{}, 2],
      [
        {
          get dedupe() {
            return memoryDedupe()
          },
        },
        1,
      ],
    ],
  },
  inbox: {
    see: countCalls,
    cases: [
      [{}, 2],
      [
        {
          get inbox() {
            return sqlInbox(new DatabaseSync(':memory:'), { dialect: 'sqlite' }) as never
          },
        },
        0,
      ],
    ],
  },
  ack: {
    /** The order of the end of a handler and the response. */
    see: async (options) => {
      const order: string[] = []
      const receiver = createReceiver({ verify: unsigned(), ...options }).onAny(async () => {
        for (let turn = 0; turn < 10; turn++) await setImmediate()
        order.push('handled')
      })
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      onTestFinished(() => void vi.restoreAllMocks())
      await send(receiver)
      order.push('response')
      await receiver.stop()
      return order
    },
    cases: [
      [{}, ['handled', 'response']],
      [{ ack: 'before' }, ['response', 'handled']],
    ],
  },
  waitUntil: {
    see: async (options) => {
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      onTestFinished(() => void vi.restoreAllMocks())
      kept.length = 0
      const receiver = createReceiver({ verify: unsigned(), ack: 'before', ...options }).onAny(() => {})
      await send(receiver)
      await receiver.stop()
      return kept.length
    },
    cases: [
      [{}, 0],
      [{ waitUntil: (work) => kept.push(work) }, 1],
    ],
  },
  maxBodyBytes: {
    see: async (options) => {
      const receiver = createReceiver({ verify: unsigned(), ...options }).onAny(() => {})
      const statuses: number[] = []
      for (const bytes of [100, 101, 1_048_576, 1_048_577]) {
        const body = JSON.stringify({ event: 'CALL_ENDED', callId: 'c', text: '' })
        const { status } = await send(receiver, {
          body: body.replace('""', `"${'x'.repeat(bytes - body.length)}"`),
        })
        statuses.push(status)
      }
      return statuses
    },
    cases: [
      [{}, [200, 200, 200, 413]],
      [{ maxBodyBytes: 100 }, [200, 413, 413, 413]],
    ],
  },
  bodyTimeoutMs: {
    see: (options) => {
      const receiver = createReceiver({ verify: unsigned(), ...options }).onAny(() => {})
      return measure(() => send(receiver, { body: new ReadableStream() }))
    },
    cases: [
      [{}, [408, 10_000]],
      [{ bodyTimeoutMs: 250 }, [408, 250]],
    ],
  },
  handlerTimeoutMs: {
    see: (options) => {
      const receiver = createReceiver({ verify: unsigned(), ...options })
      receiver.onAny(() => new Promise(() => {})).onError(() => {})
      return measure(() => send(receiver))
    },
    cases: [
      [{}, undefined],
      [{ handlerTimeoutMs: 300 }, [500, 300]],
    ],
  },
  claimTtlMs: {
    /** The `retry-after` of a delivery that is repeated while it is handled. */
    see: async (options) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const receiver = createReceiver({ verify: unsigned(), dedupe: memoryDedupe(), ...options })
      receiver.onAny(() => promise)
      const first = send(receiver)
      const second = await send(receiver)
      resolve()
      await first
      return [second.status, second.headers.get('retry-after')]
    },
    cases: [
      [{}, [409, '6']],
      [{ claimTtlMs: 300_000 }, [409, '30']],
    ],
  },
  now: {
    see: async (options) => {
      let year: number | undefined
      const receiver = createReceiver({ verify: unsigned(), ...options })
      receiver.onAny((_, { attempt }) => {
        year = attempt.receivedAt.getUTCFullYear()
      })
      await send(receiver)
      return year
    },
    cases: [
      [{}, new Date().getUTCFullYear()],
      [{ now: () => 0 }, 1970],
    ],
  },
}

testOptions<ReceiverOptions>('createReceiver()', cases)

const replaced = /It replaces dedupe, ack and waitUntil/

testPairs<ReceiverOptions>('createReceiver()', cases, {
  shows: {
    dedupe: { inbox: replaced },
    inbox: { dedupe: replaced, ack: replaced, waitUntil: replaced },
    ack: { inbox: replaced },
    waitUntil: { inbox: replaced },
    // Handlers run after the response.
    handlerTimeoutMs: { ack: [200, 0], inbox: expect.not.arrayContaining([500]) },
    claimTtlMs: { inbox: replaced },
    now: { inbox: undefined },
  },
})
