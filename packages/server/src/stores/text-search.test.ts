import { join } from 'node:path'
import { setImmediate } from 'node:timers'
import { memoryStore, type Page, type Store } from '@wabakit/core'
import { expect, onTestFinished, test } from 'vitest'
import { event, organization, subscription } from '../../test/records.ts'
import { temporaryFolder } from '../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite/sqlite-store.ts'

const maxBytes = 4 * 1024 * 1024
const sizes = [1, 2, 1, 1, 6, 1, 2, 2].map((megabytes) => megabytes * 1024 * 1024)

/** Fills a store with events whose large payloads all contain the text. */
const fill = async (store: Store): Promise<Store> => {
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  for (const size of sizes) await store.addEvent(event({ payload: 'needle'.padEnd(size, 'a') }))
  return store
}

type List = (
  store: Store,
  page: { order: 'oldest_first' | 'newest_first'; cursor?: string | undefined },
) => Promise<Page<unknown>>

/** Reads all pages. Returns the number of items on each. */
const readAll = async (
  list: List,
  store: Store,
  order: 'oldest_first' | 'newest_first',
): Promise<number[]> => {
  const lengths: number[] = []
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await list(store, { order, cursor })
    lengths.push(items.length)
    cursor = nextCursor
  } while (cursor !== undefined)
  return lengths
}

const search = { organizationId: 'acme', limit: 10, maxExamined: 20_000, text: 'NEEDLE' }

const lists = (
  [
    ['events', (store, page) => store.listEvents({ ...search, ...page })],
    ['deliveries', (store, page) => store.listDeliveries({ ...search, ...page })],
    [
      'deliveries of a subscription',
      (store, page) => store.listDeliveries({ ...search, ...page, subscriptionId: 'sub_1' }),
    ],
  ] satisfies [string, List][]
).flatMap(([name, list]) => [
  [name, 'SQLite', list, () => sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })] as const,
  [name, 'memory', list, () => memoryStore()] as const,
])

test.each(lists)(
  'a page of %s in %s searches at most 4 MB of payloads for a text, or one payload, and others are served in between',
  async (_name, _engine, list, open) => {
    const store = await fill(open())
    let [turns, isOver] = [0, false]
    const turn = (): void => {
      turns += 1
      if (!isOver) setImmediate(turn)
    }
    onTestFinished(() => {
      isOver = true
    })
    setImmediate(turn)
    for (const order of ['oldest_first', 'newest_first'] as const) {
      const rest = order === 'oldest_first' ? [...sizes] : sizes.toReversed()
      turns = 0
      const pages = await readAll(list, store, order)
      expect(pages.length).toBeGreaterThan(2)
      expect(turns).toBeGreaterThanOrEqual(pages.length - 1)
      for (const length of pages) {
        const examined = rest.splice(0, length)
        const bytes = examined.reduce((sum, size) => sum + size, 0)
        expect(examined.length === 1 ? 0 : bytes).toBeLessThanOrEqual(maxBytes)
      }
      expect(rest).toEqual([])
    }
  },
)
