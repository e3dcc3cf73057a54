import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import {
  currentId,
  firstInView,
  openRecord,
  reached,
  reachFirst,
  reachLast,
  step,
} from '../state/current-record.ts'
import { getLeftPlace, setPlace, titles, withParams } from '../state/route.ts'
import { isPhone } from '../state/viewport.ts'
import type { Column, ListDefinition } from './list-definition.ts'
import type { RecordList } from './record-list.ts'

/** The height of a row with one line or two lines, in pixels. The style sheets contain the same numbers. */
const rowHeights = { one: 40, two: 64 }
const headHeight = 32
const overscan = 12

type RowsProps<Item> = {
  readonly definition: ListDefinition<Item>
  readonly list: RecordList<Item>
  readonly isNarrow: boolean
  readonly box: RefObject<HTMLDivElement | null>
}

/** The rows in view, and the height of the hidden part of the first row, in pixels. */
type Anchor = { readonly ids: readonly string[]; readonly offset: number }

type Extra = Pick<Column<never>, 'isExtra'>

const isBelow = ({ isExtra }: Extra, isNarrow: boolean): boolean => isExtra === 'below' && isNarrow

const isShown = ({ isExtra }: Extra, isNarrow: boolean): boolean => isExtra !== true || !isNarrow

/**
 * The rows of a list. The document contains only the rows that are in view or near it. They stay in place
 * when other rows are added or removed.
 */
export const Rows = <Item,>({ definition, list, isNarrow, box }: RowsProps<Item>) => {
  const { columns, getId, view } = definition
  const items = list.items.value
  const rows = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor>({ ids: [], offset: 0 })
  const left = useRef(getLeftPlace())
  const isReturning = left.current !== undefined
  /** The record that was current when the rows were last placed. */
  const shownId = useRef('')
  const pressedAt = useRef(0)
  const first = useSignal(0)
  const count = useSignal(40)
  const shown = Object.entries(columns).filter(([, column]) => isShown(column, isNarrow))
  const rowHeight = isNarrow ? rowHeights.two : rowHeights.one
  const lastHeight = useRef(rowHeight)
  const selectedId = currentId.value
  const selectedIndex = items.findIndex((item) => getId(item) === selectedId)

  const measure = (): void => {
    const element = box.current
    // A list without height, as in a low window, would forget the rows in view.
    if (element === null || element.clientHeight === 0) return
    const { scrollTop, clientHeight } = element
    const top = Math.floor(scrollTop / rowHeight)
    const inView = Math.ceil(clientHeight / rowHeight)
    first.value = Math.max(0, top - overscan)
    count.value = inView + 2 * overscan
    firstInView.value = Math.ceil(scrollTop / rowHeight)
    anchor.current = {
      ids: items.slice(top, top + inView).map(getId),
      offset: scrollTop - top * rowHeight,
    }
    const id = anchor.current.ids[0]
    if (left.current === undefined)
      setPlace(id === undefined ? undefined : { id, offset: anchor.current.offset, count: top + inView })
    list.setView({ first: top, count: inView + 1 }, scrollTop === 0)
    if (scrollTop + clientHeight * 2 > items.length * rowHeight) void list.loadMore()
  }

  useLayoutEffect(() => {
    const element = box.current
    const { ids, offset } = anchor.current
    const from = lastHeight.current
    lastHeight.current = rowHeight
    const returned = items.findIndex((item) => getId(item) === left.current?.id)
    if (items.length > 0 && element !== null && left.current !== undefined) {
      if (returned >= 0) element.scrollTop = returned * rowHeight + left.current.offset
      left.current = undefined
    } else if (element !== null && rowHeight !== from && selectedIndex >= 0) {
      // The row that the user has just opened stays under the pointer when rows get a second line. A short list gets room to scroll.
      const top = Math.max(0, element.scrollTop + selectedIndex * (rowHeight - from))
      if (rows.current !== null) rows.current.style.minHeight = `${top + element.clientHeight - headHeight}px`
      element.scrollTop = top
    } else if (element !== null && element.scrollTop > 0) {
      const indexes = new Map(items.map((item, index) => [getId(item), index]))
      const staying = ids.findIndex((id) => indexes.has(id))
      const index = indexes.get(ids[staying] ?? '')
      if (index !== undefined) element.scrollTop = (index - staying) * rowHeight + offset
    }
    measure()
  }, [items, rowHeight])
  useEffect(() => {
    const observer = new ResizeObserver(measure)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [items, rowHeight])
  const isLoaded = items.length > 0
  useLayoutEffect(() => {
    const element = box.current
    const isNew = selectedId !== shownId.current
    if (isLoaded) shownId.current = selectedId
    if (element === null || selectedIndex < 0) return
    // A row that was clicked stays where it is, and the way back leads to the rows that were in view.
    const isLinked = isNew && selectedId !== reached.value.id && !isReturning
    if (!isLinked && !reached.value.byKey) return
    const top = selectedIndex * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight + headHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight + headHeight - element.clientHeight
    }
    // The event of this scroll follows in the next frame. Records that arrive before would lead back to the rows that were in view.
    measure()
  }, [reached.value, selectedId, isLoaded])

  const press = (event: KeyboardEvent): void => {
    const page = Math.max(1, count.value - 2 * overscan - 2)
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      PageDown: () => step(page),
      PageUp: () => step(-page),
      Home: reachFirst,
      End: reachLast,
    }
    const move = moves[event.key]
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    move()
  }

  const toHref = (id: string): string =>
    withParams({ id, attempt: undefined, delivery: undefined, tab: undefined })

  /** Opens a record in the page or, like a link, in a new tab. The end of a drag that selects text opens nothing. */
  const open = (click: MouseEvent, id: string): void => {
    if (click.button > 1) return
    const isLink = click.target instanceof Element && click.target.closest('a') !== null
    const isNewTab = click.button === 1 || click.ctrlKey || click.metaKey || click.shiftKey
    if (isNewTab) {
      if (!isLink) window.open(toHref(id))
      return
    }
    click.preventDefault()
    const isDrag = Math.abs(click.clientX - pressedAt.current) > 3 && getSelection()?.type === 'Range'
    if (!isDrag) openRecord(id)
  }

  const widths = shown
    .filter(([, column]) => !isBelow(column, isNarrow))
    .map(([, { width }]) => (isPhone.value ? width.replace(/minmax\(\d+px/, 'minmax(0') : width))
  const style = { gridTemplateColumns: widths.join(' ') }
  const isDrawn = selectedIndex >= first.value && selectedIndex < first.value + count.value
  return (
    <div
      class={`table ${isNarrow ? 'narrow' : ''}`}
      role="grid"
      aria-label={titles[view]}
      aria-rowcount={items.length + 1}
      aria-activedescendant={isDrawn ? `row-${selectedIndex}` : undefined}
      ref={box}
      onScroll={measure}
      onKeyDown={press}
      tabIndex={0}
    >
      <div class="head" role="rowgroup">
        <div class="row" role="row" aria-rowindex={1} style={style}>
          {shown.map(([title, column]) => (
            <div role="columnheader" key={title} class={isBelow(column, isNarrow) ? 'sr-only' : ''}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <div
        class="rows"
        role="rowgroup"
        ref={rows}
        style={{ height: `${items.length * rowHeight}px` }}
        onPointerEnter={({ pointerType }) => list.setPointed(pointerType === 'mouse')}
        onPointerLeave={() => list.setPointed(false)}
      >
        {items.slice(first.value, first.value + count.value).map((item, offset) => {
          const index = first.value + offset
          const id = getId(item)
          return (
            <div
              class="row selectable"
              role="row"
              key={id}
              id={`row-${index}`}
              aria-rowindex={index + 2}
              aria-selected={id === selectedId}
              style={{ ...style, transform: `translateY(${index * rowHeight}px)` }}
              onPointerDown={({ clientX }) => {
                pressedAt.current = clientX
              }}
              onClick={(click) => open(click, id)}
              onAuxClick={(click) => open(click, id)}
            >
              {shown.map(([title, column]) => (
                <div role="gridcell" key={title} class={isBelow(column, isNarrow) ? 'below' : ''}>
                  {column.isName ? (
                    <a class="open" href={toHref(id)} tabIndex={-1} draggable={false}>
                      {column.cell(item)}
                    </a>
                  ) : (
                    column.cell(item)
                  )}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}
