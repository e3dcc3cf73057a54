import { computed, signal } from '@preact/signals'
import { getMessage } from '../api/api-error.ts'
import { send } from '../api/send.ts'
import type { Page } from '@wabakit/server/control-types'
import type { ListDefinition } from './list-definition.ts'

const pageSize = 100
/** One request looks at a limited number of records. Requests without a result are repeated this often. */
const maxEmptyPages = 50

type Query = Readonly<Record<string, string>>

export const createRecordList = <Item>(
  { source, getId }: ListDefinition<Item>,
  { organizationId, query }: { readonly organizationId: string; readonly query: Query },
) => {
  const items = signal<readonly Item[]>([])
  const isLoading = signal(true)
  const isSearching = signal(false)
  const error = signal<string | undefined>(undefined)
  const cursor = signal<string | undefined>(undefined)
  const stop = new AbortController()
  const { path, query: fixed } = source(organizationId)

  const read = async (
    after: string | undefined,
    show?: (found: readonly Item[]) => void,
  ): Promise<Page<Item>> => {
    const found: Item[] = []
    let next = after
    for (let pages = 0; pages < maxEmptyPages; pages++) {
      const page: Page<Item> = await send(path, {
        query: { ...fixed, ...query, limit: pageSize, cursor: next },
        signal: stop.signal,
      })
      found.push(...page.items)
      next = page.nextCursor
      if (next === undefined || found.length >= pageSize / 2) break
      show?.([...found])
    }
    return next === undefined ? { items: found } : { items: found, nextCursor: next }
  }

  const guard = async (work: () => Promise<void>): Promise<void> => {
    isLoading.value = true
    try {
      await work()
      error.value = undefined
    } catch (thrown) {
      if (stop.signal.aborted) return
      error.value = getMessage(thrown)
    }
    isLoading.value = false
  }

  /** Reads on, and shows what was found after each request. */
  const search = (from: string | undefined): Promise<void> =>
    guard(async () => {
      const known = items.value
      const show = (found: readonly Item[]): void => {
        items.value = [...known, ...found]
      }
      try {
        const page = await read(from, (found) => {
          show(found)
          isSearching.value = true
        })
        show(page.items)
        cursor.value = page.nextCursor
      } finally {
        isSearching.value = false
      }
    })

  return {
    items,
    isLoading,
    error,
    /** Whether a request has found less than a page, and the next one looks through older records. */
    isSearching,
    hasMore: computed(() => cursor.value !== undefined),
    load: (): Promise<void> => search(undefined),
    loadMore: async (): Promise<void> => {
      if (cursor.value !== undefined && !isLoading.value) await search(cursor.value)
    },
    /** Reads the newest records again and puts them before those that are known. */
    refresh: async (): Promise<void> => {
      if (isLoading.value) return
      await guard(async () => {
        const page = await read(undefined)
        const fresh = new Set(page.items.map(getId))
        const older = items.value.filter((item) => !fresh.has(getId(item)))
        const isConnected = older.length < items.value.length || items.value.length === 0
        items.value = isConnected ? [...page.items, ...older] : page.items
        if (!isConnected || older.length === 0) cursor.value = page.nextCursor
      })
    },
    close: (): void => stop.abort(),
  }
}
