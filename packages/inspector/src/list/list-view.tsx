import type { ComponentType } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { organizationId } from '../api/organization.ts'
import { Problem } from '../parts/status.tsx'
import { currentId, leaveRow, listedIds, openId } from '../state/current-record.ts'
import { bindKeys } from '../state/keyboard.ts'
import { notify } from '../state/notices.ts'
import { getParam } from '../state/route.ts'
import { isTablet } from '../state/viewport.ts'
import { EmptyState } from './empty-state.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type ListDefinition, listParams } from './list-definition.ts'
import { ListHeader } from './list-header.tsx'
import { createRecordList } from './record-list.ts'
import { Rows } from './rows.tsx'

/** A record that is shown next to its list. `item` is `undefined` until the list contains it. */
export type DetailProps<Item> = { readonly id: string; readonly item: Item | undefined }

type ListViewProps<Item> = {
  readonly definition: ListDefinition<Item>
  readonly Detail: ComponentType<DetailProps<Item>>
}

/** Reads a list's filters from the page's URL. */
const readQuery = <Item,>({ filters, searches }: ListDefinition<Item>): Record<string, string> => {
  const keys = filters.flatMap(listParams)
  if (searches !== undefined) keys.push('text')
  return Object.fromEntries(keys.map((key) => [key, getParam(key)]).filter(([, value]) => value !== ''))
}

/** A list with its filters and the open record. */
export const ListView = <Item,>({ definition, Detail }: ListViewProps<Item>) => {
  const { getId, filters, searches, view, empty, Bulk } = definition
  const query = readQuery(definition)
  const organization = organizationId.value ?? ''
  const key = JSON.stringify([view, organization, query])
  const list = useMemo(() => createRecordList(definition, { organizationId: organization, query }), [key])
  const items = list.items.value
  const box = useRef<HTMLDivElement>(null)

  // Runs before the list is painted, so that no key can act on a record of the previous list.
  useLayoutEffect(() => {
    leaveRow()
    const stop = list.start()
    const pause = (): void => {
      list.isPaused.value = !list.isPaused.value
    }
    const keys = Object.entries(definition.keys ?? {}).map(([each, act]) => [
      each,
      () => {
        if (currentId.value === '') notify('Choose a row first: press j, or click it.', { isProblem: true })
        else act(currentId.value)
      },
    ])
    const unbind = bindKeys({ ...Object.fromEntries(keys), p: pause })
    return () => {
      unbind()
      stop()
    }
  }, [list])
  useLayoutEffect(() => {
    listedIds.value = items.map(getId)
  }, [items])

  const showFresh = (): void => {
    leaveRow()
    if (box.current !== null) box.current.scrollTop = 0
    list.showFresh()
  }

  const isOpen = openId.value !== ''
  const isFiltered = Object.keys(query).length > 0
  const isEmpty = items.length === 0 && !list.isLoading.value && !list.hasMore.value
  return (
    <div class={`view ${isOpen ? 'has-detail' : ''}`}>
      <section class="list" aria-label={definition.title}>
        <ListHeader title={definition.title} list={list} onShowFresh={showFresh} />
        <FilterBar filters={filters} searches={searches}>
          {Bulk && isFiltered && <Bulk query={query} filters={filters} />}
        </FilterBar>
        <Problem text={list.error.value} />
        {isEmpty && list.error.value === undefined ? (
          <EmptyState {...empty} isFiltered={isFiltered} />
        ) : (
          <Rows key={key} definition={definition} list={list} isNarrow={isOpen || isTablet.value} box={box} />
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
        />
      )}
    </div>
  )
}
