import { computed, signal } from '@preact/signals'
import { getParam, setParams } from './route.ts'

export const listedIds = signal<readonly string[]>([])
export const firstInView = signal(0)
/** The row that the user selected. The list scrolls to a row that was selected with a key. */
export const reached = signal<{ readonly id: string; readonly byKey: boolean }>({ id: '', byKey: false })

export const openId = computed(() => getParam('id'))

/**
 * The id of the current record, to which keyboard shortcuts apply: the open record or, if none is open, the
 * selected row. Empty if there is neither.
 */
export const currentId = computed(() => openId.value || reached.value.id)

export const openRecord = (id: string, { byKey = false } = {}): void => {
  reached.value = { id, byKey }
  setParams({ id, attempt: undefined, delivery: undefined, tab: undefined }, { isStep: openId.value === '' })
}

/** Closes the open record. Its row stays selected. */
export const closeRecord = (): void => {
  setParams({ id: undefined, attempt: undefined, delivery: undefined, tab: undefined })
}

export const leaveRow = (): void => {
  reached.value = { id: '', byKey: false }
}

/** Selects a row or, if a record is open, opens the record of that row. */
const reach = (index: number): void => {
  const ids = listedIds.value
  const id = ids[Math.min(Math.max(index, 0), ids.length - 1)]
  if (id === undefined) return
  if (openId.value === '') reached.value = { id, byKey: true }
  else openRecord(id, { byKey: true })
}

/** Moves the selection by a number of rows or, if no listed record is current, to the first row in view. */
export const step = (by: number): void => {
  const index = listedIds.value.indexOf(currentId.value)
  reach(index === -1 ? firstInView.value : index + by)
}

export const reachFirst = (): void => reach(0)
export const reachLast = (): void => reach(listedIds.value.length - 1)
