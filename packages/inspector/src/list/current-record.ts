import { computed, signal } from '@preact/signals'
import { getParam, setParams } from '../state/route.ts'

/** The ids of the records in the list, and the one that the keys `j` and `k` have reached. */
export const listedIds = signal<readonly string[]>([])
const reachedId = signal('')

/** The record that the address names. */
export const openId = computed(() => getParam('id'))

/** The record that keys act on: the open one, the one reached, or the first. */
export const currentId = computed(() => {
  if (openId.value !== '') return openId.value
  return listedIds.value.includes(reachedId.value) ? reachedId.value : (listedIds.value[0] ?? '')
})

export const openRecord = (id: string): void => {
  reachedId.value = id
  setParams({ id, attempt: undefined, tab: undefined }, { isStep: openId.value === '' })
}

export const closeRecord = (): void => {
  setParams({ id: undefined, attempt: undefined, tab: undefined })
}

/** Moves on by a number of records. A record that is open is replaced by the one that is reached. */
export const step = (by: number): void => {
  const ids = listedIds.value
  const index = Math.min(Math.max(ids.indexOf(currentId.value) + by, 0), ids.length - 1)
  const id = ids[index]
  if (id === undefined) return
  if (openId.value === '') reachedId.value = id
  else openRecord(id)
}
