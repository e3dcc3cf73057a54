import { DatabaseSync } from 'node:sqlite'
import { createReceiver, sqlInbox, unsigned } from '@wabakit/webhooks'
import { expect, it, onTestFinished } from 'vitest'
import { toEnd, toRequest } from './environment.ts'

const create = () => {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  const handled: unknown[] = []
  const receiver = createReceiver({
    verify: unsigned(),
    inbox: sqlInbox(database, { dialect: 'sqlite', pollMs: 60_000 }),
  }).onAny((_, { delivery }) => void handled.push(delivery.id))
  const send = (id: string) => receiver.handle(toRequest(toEnd(id), id))
  return { receiver, handled, send }
}

/** Everything that starts or stops the handling of stored events. */
const actions: Readonly<Record<string, (receiver: ReturnType<typeof create>['receiver']) => unknown>> = {
  start: ({ start }) => start(),
  stop: ({ stop }) => stop(),
  drain: ({ drain }) => drain(),
}

const names = Object.keys(actions)
const pairs = names.flatMap((first) => names.map((second) => [first, second] as const))

it.each(pairs)('%s and %s may overlap: each event is handled once, and stop ends', async (...pair) => {
  const { receiver, handled, send } = create()
  const act = (name: string) => actions[name]?.(receiver)

  for (const isStarted of [false, true]) {
    if (isStarted) receiver.start()
    const group = `${isStarted}`
    await Promise.all([send(`${group}-before`), act(pair[0]), act(pair[1]), send(`${group}-during`)])
    receiver.start()
    await send(`${group}-after`)
    await expect.poll(() => handled.filter((id) => String(id).startsWith(group)).length).toBe(3)
    await receiver.stop()
  }

  expect(new Set(handled).size).toBe(handled.length)
})
