import { DatabaseSync } from 'node:sqlite'
import { mock } from 'node:test'
import { createReceiver, sqlInbox, standardWebhooks, unsigned } from '@wabakit/webhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { toEnd, toRequest } from './inbox/environment.ts'
import { joined, secret, signedRequest } from './signed.ts'

/** Installs fake timers, which stand still. */
const kinds: readonly [string, () => unknown, () => unknown][] = [
  ['vitest', () => vi.useFakeTimers(), () => vi.useRealTimers()],
  ['node:test', () => mock.timers.enable(), () => mock.timers.reset()],
]

it.each(kinds)('an inbox stores and handles under fake timers of %s', async (_, install, remove) => {
  const handled: string[] = []
  const receiver = createReceiver({
    verify: unsigned(),
    inbox: sqlInbox(new DatabaseSync(':memory:'), { dialect: 'sqlite' }),
  }).on('CALL_ENDED', ({ callId }) => handled.push(callId))
  install()
  onTestFinished(() => void remove())
  expect((await receiver.handle(toRequest(toEnd('a'), 'a'))).status).toBe(200)
  expect((await receiver.drain()).handled).toBe(1)
  expect(handled).toEqual(['a'])
})

it('handles an event at once when it arrives at a started inbox under fake timers', async () => {
  const handled = Promise.withResolvers<string>()
  const receiver = createReceiver({
    verify: unsigned(),
    inbox: sqlInbox(new DatabaseSync(':memory:'), { dialect: 'sqlite' }),
  }).on('CALL_ENDED', ({ callId }) => handled.resolve(callId))
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  receiver.start()
  await receiver.handle(toRequest(toEnd('a'), 'a'))
  expect(await handled.promise).toBe('a')
  await receiver.stop()
})

it.each(kinds)(
  'requests share one call for the secrets under fake timers of %s',
  async (_, install, remove) => {
    const now = Date.now()
    const requests = await Promise.all([joined, joined].map((event) => signedRequest(event)))
    install()
    onTestFinished(() => void remove())
    const gate = Promise.withResolvers<void>()
    const verify = standardWebhooks({
      secrets: async () => {
        await gate.promise
        return [secret]
      },
      now: () => now,
    })
    const { handle } = createReceiver({ verify, now: () => now }).onAny(() => {})
    const responses = requests.map((request) => handle(request))
    gate.resolve()
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200])
  },
)
