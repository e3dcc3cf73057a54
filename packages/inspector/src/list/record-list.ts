import { computed, signal } from '@preact/signals'
import type { Page } from '@wabakit/server/control-types'
import { ApiError, getMessage } from '../api/api-error.ts'
import { createReload } from '../api/reload.ts'
import { send } from '../api/send.ts'
import { currentId } from '../state/current-record.ts'
import type { Query } from '../state/route.ts'
import type { ListDefinition } from './list-definition.ts'
import { mergePage } from './merge-page.ts'

export const pageSize = 100
const maxPageSize = 1_000
/** Maximum number of requests per search. The server examines only a limited number of records per request. */
const maxEmptyPages = 50
/** Number of records from which on a list that follows new ones drops those after the first page. They load again by scrolling. */
const maxFollowed = 1_000

/**
 * The records of a list. A list **follows** new records: they appear at the top. It is **held** while the
 * user has scrolled down, points at a row, has selected one, has opened a record or has paused the list. A held
 * list counts new records without showing them, but still updates and removes others.
 */
export type RecordList<Item> = ReturnType<typeof createRecordList<Item>>

export const createRecordList = <Item>(
  {
    view: name,
    isShared,
    query: own,
    order,
    getId,
    getTime,
    isMutable,
    isAbout,
    pollMs,
  }: ListDefinition<Item>,
  {
    organizationId,
    query,
    count = pageSize,
  }: {
    readonly organizationId: string
    readonly query: Query
    /** Number of records to load at first. */
    readonly count?: number | undefined
  },
) => {
  const items = signal<readonly Item[]>([])
  const freshCount = signal(0)
  const isLoading = signal(true)
  const isSearching = signal(false)
  const error = signal<string | undefined>(undefined)
  const cursor = signal<string | undefined>(undefined)
  const isPaused = signal(false)
  const isAtTop = signal(true)
  const isPointed = signal(false)
  const isHeld = computed(() => isPaused.value || !isAtTop.value || isPointed.value || currentId.value !== '')
  const stop = new AbortController()
  const path = isShared ? [name] : ['organizations', organizationId, name]
  const fixed = { ...own, ...(isShared ? { organization: organizationId } : { order }) }
  let view = { first: 0, count: pageSize }
  let isLoaded = false
  let isWanted = false

  const readPage = (part: Query): Promise<Page<Item>> =>
    send(path, { query: { ...fixed, ...query, limit: pageSize, ...part }, signal: stop.signal })

  const guard = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      error.value = undefined
    } catch (thrown) {
      // The header of the list already shows a broken connection.
      const isHidden = isLoaded && thrown instanceof ApiError && thrown.status === 0
      if (!stop.signal.aborted && !isHidden) error.value = getMessage(thrown)
    }
  }

  /** Loads further pages. Shows the records of each page as soon as they arrive. */
  const search = (): Promise<void> =>
    guard(async () => {
      isLoading.value = true
      const found: Item[] = []
      try {
        for (let pages = 0; pages < maxEmptyPages; pages++) {
          const limit = isLoaded ? pageSize : Math.min(Math.max(pageSize, count), maxPageSize)
          const page = await readPage({ cursor: cursor.value, limit })
          found.push(...page.items)
          const added = new Set(page.items.map(getId))
          items.value = [...items.value.filter((item) => !added.has(getId(item))), ...page.items]
          cursor.value = page.nextCursor
          if (page.nextCursor === undefined || found.length >= pageSize / 2) break
          isSearching.value = true
        }
        isLoaded = true
      } finally {
        isSearching.value = false
        isLoading.value = false
      }
    })

  const showNewest = (page: Page<Item>): void => {
    const [newest] = items.value
    const end = page.items.at(-1)
    const isConnected =
      page.nextCursor === undefined || (newest && end && getTime && getTime(end) <= getTime(newest))
    const isLong = items.value.length >= maxFollowed
    if (getTime === undefined || ((!isConnected || isLong) && end !== undefined)) {
      items.value = page.items
      cursor.value = page.nextCursor
    } else merge(page, 0)
    freshCount.value = 0
  }

  const merge = (page: Page<Item>, first: number, before?: string): void => {
    if (getTime === undefined) return
    const isLast = page.nextCursor === undefined
    const merged = mergePage(items.value, page.items, {
      getId,
      getTime,
      first,
      before,
      isLast,
      keptId: currentId.value,
    })
    items.value = merged.items
    if (!merged.hasOlder && page.items.length > 0) cursor.value = page.nextCursor
  }

  /** Updates the rows in view, and counts new records. Returns the records that were read again. */
  const updateHeld = async (page: Page<Item>): Promise<readonly Item[]> => {
    const known = items.value
    const [newest] = known
    if (getTime === undefined || newest === undefined) {
      showNewest(page)
      return page.items
    }
    const ids = new Set(known.map(getId))
    const isKnown = (item: Item): boolean => ids.has(getId(item)) || getTime(item) < getTime(newest)
    const start = page.items.findIndex(isKnown)
    freshCount.value = start === -1 ? page.items.length : start
    const range = start === -1 ? [] : page.items.slice(start)
    const isWhole = page.nextCursor === undefined
    if (range.length > 0 || isWhole) merge({ ...page, items: range }, 0)
    const first = items.value[view.first]
    if (isWhole || first === undefined || range.length >= view.first + view.count) return range
    const end = new Date(Date.parse(getTime(first)) + 1).toISOString()
    const before = typeof query.before === 'string' && query.before < end ? query.before : end
    const part = await readPage({ before, limit: view.count })
    const index = items.value.findIndex((item) => getTime(item) <= getTime(first))
    merge(part, index, before)
    return part.items
  }

  /** Updates the current record, which may be out of view or no longer match, unless it was just read. */
  const updateCurrent = async (read: readonly Item[]): Promise<void> => {
    const id = currentId.value
    const isCurrent = (item: Item): boolean => getId(item) === id
    if (!isMutable || read.some(isCurrent) || !items.value.some(isCurrent)) return
    const found = await send<Item>([...path, id], { signal: stop.signal })
    items.value = items.value.map((item) => (isCurrent(item) ? found : item))
  }

  const update = async (): Promise<void> => {
    const limit = getTime === undefined ? Math.max(pageSize, items.value.length) : pageSize
    const page = await readPage({ limit })
    const isShown = isWanted || !isHeld.value
    isWanted = false
    if (isShown) showNewest(page)
    else await updateCurrent(await updateHeld(page))
  }

  const reload = createReload({ load: () => (isLoaded ? guard(update) : search()), isAbout })

  return {
    items,
    /** Number of new records that are not shown. At `pageSize`, there may be more. */
    freshCount,
    isLoading,
    error,
    /** Set while a search continues with older records, because it has found too few so far. */
    isSearching,
    isHeld,
    isPaused,
    switchPause: (): void => {
      isPaused.value = !isPaused.value
    },
    /** Reads all records that match, page by page, also those that are not loaded yet. */
    readPages: async function* () {
      for (let next: string | undefined; ; ) {
        const page = await readPage({ cursor: next, limit: maxPageSize })
        yield page.items
        next = page.nextCursor
        if (next === undefined) return
      }
    },
    hasMore: computed(() => cursor.value !== undefined),
    loadMore: async (): Promise<void> => {
      if (cursor.value !== undefined && !isLoading.value) await search()
    },
    setView: (rows: typeof view, isTop: boolean): void => {
      view = rows
      isAtTop.value = isTop
    },
    /** Holds the list while the user points at a row, so that a click opens the row that the user has read. */
    setPointed: (isOverRows: boolean): void => {
      isPointed.value = isOverRows
    },
    /** Shows new records even though the list is held. */
    showFresh: (): void => {
      isWanted = true
      reload.now()
    },
    /** Starts updating the list. Returns a function that stops the updates. */
    start: (): (() => void) => {
      reload.now()
      const polling = pollMs === undefined ? undefined : setInterval(reload.request, pollMs)
      // When the list is no longer held, it shows new records. Without a current record, it drops the kept one if that
      // no longer matches.
      let before = { held: false, current: '' }
      const unhold = computed(() => ({ held: isHeld.value, current: currentId.value })).subscribe((now) => {
        if ((before.held && !now.held) || (before.current !== '' && now.current === '')) reload.now()
        before = now
      })
      return () => {
        unhold()
        clearInterval(polling)
        reload.stop()
        stop.abort()
      }
    },
  }
}
