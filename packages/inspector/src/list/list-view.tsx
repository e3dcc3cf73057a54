import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { listen } from '../api/live.ts'
import { organizationId } from '../api/organization.ts'
import { bindKeys } from '../shell/keyboard.ts'
import { getParam } from '../state/route.ts'
import { isTablet } from '../state/viewport.ts'
import { closeRecord, currentId, listedIds, openId, openRecord } from './current-record.ts'
import { EmptyState } from './empty-state.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { ListDefinition } from './list-definition.ts'
import { ListHeader } from './list-header.tsx'
import { createRecordList } from './record-list.ts'
import { Rows } from './rows.tsx'

const refreshPauseMs = 400

/** What is shown of one record next to its list. `item` is missing until the list has it. */
export type DetailProps<Item> = {
  readonly id: string
  readonly item: Item | undefined
  /** Changes whenever the record may have changed. */
  readonly version: number
}

type ListViewProps<Item> = {
  readonly definition: ListDefinition<Item>
  readonly Detail: ComponentType<DetailProps<Item>>
}

/** Reads the filters of a list from the address of the page. */
const readQuery = <Item,>({ filters, searches }: ListDefinition<Item>): Record<string, string> => {
  const keys = filters.flatMap(({ kind, key }) => (kind === 'time' ? ['from', 'before'] : [key]))
  if (searches !== undefined) keys.push('text')
  return Object.fromEntries(keys.map((key) => [key, getParam(key)]).filter(([, value]) => value !== ''))
}

/** A list with its filters, and the record that is open. */
export const ListView = <Item,>({ definition, Detail }: ListViewProps<Item>) => {
  const { getId, filters, searches, isChangedBy, view, empty } = definition
  const query = readQuery(definition)
  const organization = organizationId.value ?? ''
  const list = useMemo(
    () => createRecordList(definition, { organizationId: organization, query }),
    [view, organization, JSON.stringify(query)],
  )
  const isPaused = useSignal(false)
  const missed = useSignal(0)
  const version = useSignal(0)
  // What a key asked for before the first page was there.
  const early = useRef<(id: string) => void>(undefined)

  // With the list, not after it was painted: a key must not act on a record of the list before.
  useLayoutEffect(() => {
    listedIds.value = []
    early.current = undefined
    void list.load()
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = listen((message) => {
      version.value += 1
      if (message.type !== 'change' && !isChangedBy(message)) return
      if (isPaused.value) {
        missed.value += 1
        return
      }
      timer ??= setTimeout(async () => {
        await list.refresh()
        timer = undefined
      }, refreshPauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
      list.close()
    }
  }, [list])

  const pause = (isWanted: boolean): void => {
    isPaused.value = isWanted
    missed.value = 0
    if (!isWanted) void list.refresh()
  }

  const items = list.items.value
  useEffect(() => {
    listedIds.value = items.map(getId)
    if (currentId.value === '') return
    early.current?.(currentId.value)
    early.current = undefined
  }, [items])

  useLayoutEffect(() => {
    const keys = Object.entries(definition.keys ?? {}).map(([key, act]) => [
      key,
      () => {
        if (currentId.value !== '') act(currentId.value)
        else if (list.isLoading.value) early.current = act
      },
    ])
    return bindKeys({ ...Object.fromEntries(keys), p: () => pause(!isPaused.value) })
  }, [list])

  const isOpen = openId.value !== ''
  const isFiltered = Object.keys(query).length > 0
  return (
    <div class={`view ${isOpen ? 'has-detail' : ''}`}>
      <section class="list" aria-label={definition.title}>
        <ListHeader
          title={definition.title}
          isLoading={list.isLoading.value}
          isPaused={isPaused.value}
          missed={missed.value}
          onPause={pause}
        />
        <FilterBar filters={filters} searches={searches} />
        {list.error.value !== undefined && (
          <p class="problem" role="alert">
            {list.error.value}
          </p>
        )}
        {items.length === 0 &&
        !list.isLoading.value &&
        !list.hasMore.value &&
        list.error.value === undefined ? (
          <EmptyState {...empty} isFiltered={isFiltered} />
        ) : (
          <Rows
            definition={definition}
            items={items}
            selectedId={currentId.value}
            isNarrow={isOpen || isTablet.value}
            onSelect={openRecord}
            onEnd={list.loadMore}
          />
        )}
        {list.isSearching.value && (
          <p class="searching" role="status">
            Searching older records… {items.length} found so far
          </p>
        )}
      </section>
      {isOpen && (
        <Detail
          key={openId.value}
          id={openId.value}
          item={items.find((item) => getId(item) === openId.value)}
          version={version.value}
        />
      )}
      {isOpen && <button type="button" class="scrim" aria-label="Close the record" onClick={closeRecord} />}
    </div>
  )
}
