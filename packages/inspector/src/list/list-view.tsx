import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { connection } from '../api/live.ts'
import { organizationId } from '../api/organization.ts'
import { Button, IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Menu } from '../components/menu.tsx'
import { LoadProblem } from '../components/status.tsx'
import { formatCount } from '../format/numbers.ts'
import { currentId, leaveRow, listedIds, openId } from '../state/current-record.ts'
import { bindKeys } from '../state/keyboard.ts'
import { notify } from '../state/notices.ts'
import { getLeftPlace, getParam, isTrace, setParams, titles } from '../state/route.ts'
import { isPhone, isTablet } from '../state/viewport.ts'
import { EmptyState } from './empty-state.tsx'
import { exportCsv } from './export-csv.ts'
import { FilterBar } from './filter-bar.tsx'
import { type ListDefinition, listParams } from './list-definition.ts'
import { createRecordList, pageSize, type RecordList } from './record-list.ts'
import { Rows } from './rows.tsx'

type ListHeaderProps<Item> = {
  readonly title: string
  readonly add: ListDefinition<Item>['add']
  readonly list: RecordList<Item>
  readonly onShowFresh: () => void
}

const states = {
  connecting: { text: 'Connecting', tone: 'idle' },
  connected: { text: 'Live', tone: 'good' },
  broken: { text: 'Not connected', tone: 'bad' },
  paused: { text: 'Paused', tone: 'warn' },
} as const

/** The number of records that are loaded, with a plus if there are more. */
const ListCount = <Item,>({ list }: { readonly list: RecordList<Item> }) => {
  const count = list.items.value.length
  if (count === 0) return null
  return (
    <span class="count">
      {formatCount(count)}
      {list.hasMore.value && '+'}
    </span>
  )
}

const ListHeader = <Item,>({ title, add, list, onShowFresh }: ListHeaderProps<Item>) => {
  const isPaused = list.isPaused.value
  const fresh = list.freshCount.value
  const { text, tone } = states[isPaused && connection.value === 'connected' ? 'paused' : connection.value]
  const canAdd = add !== undefined && !isTrace
  const hasItems = list.items.value.length > 0
  const save = (): void => void exportCsv(title, list.readPages)
  const exporting = { label: 'Export as CSV', icon: 'download' } as const
  return (
    <header class="list-header">
      <h1>
        {title} <ListCount list={list} />
      </h1>
      <div class={`progress ${list.isLoading.value ? 'on' : ''}`} />
      <div role="status">
        {fresh > 0 && (
          <button type="button" class="button primary fresh" onClick={onShowFresh}>
            {fresh >= pageSize ? `${fresh}+ new` : `${fresh} new`}
          </button>
        )}
      </div>
      {isPhone.value ? (
        <Menu
          items={[
            ...(canAdd ? [{ label: add.label, icon: 'add', onSelect: add.run } as const] : []),
            { ...exporting, onSelect: save, isDisabled: !hasItems },
          ]}
        />
      ) : (
        <>
          {hasItems && <IconButton {...exporting} onClick={save} />}
          {canAdd && (
            <Button icon="add" onClick={add.run}>
              {add.label}
            </Button>
          )}
        </>
      )}
      {!isTrace && (
        <button
          type="button"
          class={`connection ${tone}`}
          aria-pressed={isPaused}
          onClick={list.switchPause}
          title={isPaused ? 'Show new records again' : 'Count new records without showing them'}
        >
          <span class="dot" aria-hidden="true" />
          <span role="status">{text}</span>
          <Icon name={isPaused ? 'play' : 'pause'} />
        </button>
      )}
    </header>
  )
}

const readQuery = <Item,>({ filters, searches }: ListDefinition<Item>): Record<string, string> => {
  const keys = filters.flatMap(listParams)
  if (searches !== undefined) keys.push('text')
  return Object.fromEntries(keys.map((key) => [key, getParam(key)]).filter(([, value]) => value !== ''))
}

export const ListView = <Item,>({ definition }: { readonly definition: ListDefinition<Item> }) => {
  const { getId, filters, searches, view, empty, Bulk, Detail } = definition
  const query = readQuery(definition)
  const organization = organizationId.value ?? ''
  const key = JSON.stringify([view, organization, query])
  const list = useMemo(() => {
    const count = getLeftPlace()?.count
    return createRecordList(definition, { organizationId: organization, query, count })
  }, [key])
  const items = list.items.value
  const box = useRef<HTMLDivElement>(null)

  // Runs before the browser paints the list, so that no key can act on a record of the previous list.
  useLayoutEffect(() => {
    leaveRow()
    const stop = list.start()
    const unbind = bindKeys(isTrace ? {} : (definition.keys ?? {}), (act) => {
      if (currentId.value === '') notify('Choose a row first: press j, or click one.', { tone: 'bad' })
      else act(currentId.value)
    })
    const unbindPause = bindKeys({ p: list.switchPause }, (act) => act())
    return () => {
      unbindPause()
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

  const clear = (): void =>
    setParams(Object.fromEntries(Object.keys(query).map((name) => [name, undefined])), { isStep: true })

  const isOpen = openId.value !== ''
  const isFiltered = Object.keys(query).length > 0
  const error = list.error.value
  const isEmpty = items.length === 0 && !list.isLoading.value && !list.hasMore.value && error === undefined
  return (
    <div class={`view ${isOpen ? 'has-detail' : ''}`}>
      <section class="list" aria-label={titles[view]}>
        <ListHeader title={titles[view]} add={definition.add} list={list} onShowFresh={showFresh} />
        {(!isEmpty || isFiltered) && (
          <FilterBar filters={filters} searches={searches} onClear={clear}>
            {Bulk && !isTrace && <Bulk query={query} filters={filters} />}
          </FilterBar>
        )}
        <LoadProblem text={error} />
        {!isEmpty ? (
          <Rows key={key} definition={definition} list={list} isNarrow={isOpen || isTablet.value} box={box} />
        ) : isFiltered ? (
          <div class="empty">
            <h2>No matches</h2>
            <p>No record matches all of these filters.</p>
            <Button onClick={clear}>Clear the filters</Button>
          </div>
        ) : (
          <EmptyState {...empty} add={definition.add} />
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
          isLoading={list.isLoading.value}
        />
      )}
    </div>
  )
}
