import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type DeliveryStatus, memoryStore, type Store } from '@wabakit/core'
import { expect, test } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { createScenario, customer, waba } from './suite/scenario.ts'

type Row = readonly [stored: string, scheduler: string, status: string]

/** Reads the table of states in the architecture page. A row may name several states. */
const readTable = (): Row[] => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/architecture.md'), 'utf8')
  const [, table = ''] = page.split('| State in the store |')
  const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? []
  return rows.flatMap((row) => {
    const [stored = [], scheduler = [], [status = ''] = []] = row
      .split('|')
      .slice(1, -1)
      .map((cell) =>
        cell
          .replaceAll('`', '')
          .split(',')
          .map((each) => each.trim()),
      )
    return stored.flatMap((one) =>
      scheduler.map((other): Row => [one, other, status === 'the same' ? one : status]),
    )
  })
}

/** A memory store that waits before it loads deliveries and after it has been asked to settle them. */
const createGatedStore = () => {
  const base = memoryStore()
  const gates = { loaded: Promise.withResolvers<void>(), settled: Promise.withResolvers<void>() }
  const reached = { load: false, settle: false }
  const store: Store = {
    ...base,
    loadDeliveries: async (keys) => {
      reached.load = true
      await gates.loaded.promise
      return base.loadDeliveries(keys)
    },
    settleDeliveries: async (settlements) => {
      reached.settle = true
      await gates.settled.promise
      return base.settleDeliveries(settlements)
    },
  }
  return { store, gates, reached }
}

test('users see the status that the table of states has for the states of store and scheduler', async () => {
  const { store, gates, reached } = createGatedStore()
  const responded = Promise.withResolvers<Response>()
  let isSent = false
  const { server, subscribe } = await createScenario({
    store,
    fetch: () => {
      isSent = true
      return responded.promise
    },
  })
  await subscribe()
  await server.groups.create('acme', { wabaNumber: waba, subject: 'Launch', groupId: 'g' })
  await server.participants.join('acme', { groupId: 'g', phone: customer })
  const seen: Row[] = []
  /** Notes the statuses of both deliveries. The first is in this state, and the second is stored behind it. */
  const note = async (stored: string, scheduler: string): Promise<void> => {
    const { items } = await server.deliveries.list('acme')
    const statuses = new Map(items.map(({ eventName, status }) => [eventName, status]))
    seen.push([stored, scheduler, statuses.get('GROUP_CREATED') ?? ''])
    seen.push(['behind a head', 'stored', statuses.get('GROUP_PARTICIPANT_JOINED') ?? ''])
  }
  await note('head', 'stored')
  server.dispatcher.start()
  await expect.poll(() => reached.load).toBe(true)
  await note('head', 'loading')
  gates.loaded.resolve()
  await expect.poll(() => isSent).toBe(true)
  await note('head', 'attempting')
  responded.resolve(new Response('failed', { status: 500 }))
  await expect.poll(() => reached.settle).toBe(true)
  await note('head', 'settling')
  gates.settled.resolve()
  await expect
    .poll(async () => (await server.deliveries.list('acme', { statuses: ['attempting'] })).items)
    .toEqual([])
  await note('attempted', 'held')
  await server.dispatcher.stop()
  const table = readTable()
  expect(table.length).toBeGreaterThan(10)
  for (const row of seen) expect(table).toContainEqual(row)
})

test('the diagram of states has every status of a delivery', () => {
  const statuses: Readonly<Record<DeliveryStatus, true>> = {
    waiting: true,
    pending: true,
    attempting: true,
    delivered: true,
    exhausted: true,
    skipped: true,
  }
  const [block] = takeBlocks(import.meta.filename, 1)
  const drawn = [...(block?.code ?? '').matchAll(/(\w+) --> (\w+)/g)].flatMap(([, ...ends]) => ends)
  expect(new Set(drawn)).toEqual(new Set(Object.keys(statuses)))
})
