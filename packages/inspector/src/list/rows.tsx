import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { isPhone } from '../state/viewport.ts'
import type { ListDefinition } from './list-definition.ts'

/** The height of a row in pixels, which the style sheet repeats. */
const rowHeight = 40
const headHeight = 32
const overscan = 12

type RowsProps<Item> = {
  readonly definition: ListDefinition<Item>
  readonly items: readonly Item[]
  readonly selectedId: string
  readonly isNarrow: boolean
  readonly onSelect: (id: string) => void
  readonly onEnd: () => void
}

/** The rows of a list. Only those in view are in the document. */
export const Rows = <Item,>(props: RowsProps<Item>) => {
  const { definition, items, selectedId, isNarrow, onSelect, onEnd } = props
  const { columns, getId, title } = definition
  const box = useRef<HTMLDivElement>(null)
  const first = useSignal(0)
  const count = useSignal(40)
  const shown = columns.filter(({ isExtra }) => !(isExtra && isNarrow))
  const selectedIndex = items.findIndex((item) => getId(item) === selectedId)

  const measure = (): void => {
    const element = box.current
    if (element === null) return
    first.value = Math.max(0, Math.floor(element.scrollTop / rowHeight) - overscan)
    count.value = Math.ceil(element.clientHeight / rowHeight) + 2 * overscan
    if (element.scrollTop + element.clientHeight * 2 > items.length * rowHeight) onEnd()
  }

  useLayoutEffect(measure, [items])
  useEffect(() => {
    const observer = new ResizeObserver(measure)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || selectedIndex < 0) return
    const top = selectedIndex * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight + headHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight + headHeight - element.clientHeight
    }
  }, [selectedIndex])

  const widths = shown.map(({ width }) =>
    isPhone.value ? width.replace(/minmax\(\d+px/, 'minmax(0') : width,
  )
  const style = { gridTemplateColumns: widths.join(' ') }
  return (
    <div
      class="table"
      role="grid"
      aria-label={title}
      aria-rowcount={items.length + 1}
      ref={box}
      onScroll={measure}
      tabIndex={0}
    >
      <div class="head" role="rowgroup">
        <div class="row" role="row" aria-rowindex={1} style={style}>
          {shown.map(({ title: heading }) => (
            <div role="columnheader" key={heading}>
              {heading}
            </div>
          ))}
        </div>
      </div>
      <div class="rows" role="rowgroup" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first.value, first.value + count.value).map((item, offset) => {
          const index = first.value + offset
          const id = getId(item)
          return (
            <div
              class="row"
              role="row"
              key={id}
              aria-rowindex={index + 2}
              aria-selected={id === selectedId}
              style={{ ...style, transform: `translateY(${index * rowHeight}px)` }}
              onClick={() => onSelect(id)}
            >
              {shown.map(({ title: heading, cell }) => (
                <div role="gridcell" key={heading}>
                  {cell(item)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}
