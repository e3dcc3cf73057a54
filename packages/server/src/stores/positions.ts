import { InputError } from '@wabakit/core'

const refuseCursor = (): InputError =>
  new InputError([{ path: 'cursor', message: 'is not a cursor that this server returned' }])

const cursorForms = { 1: /^\d{1,18}$/, 2: /^\d{1,18}\.\d{1,18}$/ } as const

/**
 * Parses a cursor of one or two positions, such as `42` or `42.7`.
 *
 * @throws InputError if the cursor has a different format.
 */
export const parseCursor = (cursor: string, positions: 1 | 2): string[] => {
  if (cursorForms[positions].test(cursor)) return cursor.split('.')
  throw refuseCursor()
}

/** Formats the cursor of a list ordered by time: the time and id of its last record. */
export const formatNewestCursor = (time: number, id: string): string => `${time}.${id}`

/**
 * Parses a cursor created by {@link formatNewestCursor}.
 *
 * @throws InputError if the cursor has a different format.
 */
export const parseNewestCursor = (cursor: string): readonly [time: number, id: string] => {
  const [, time, id] = /^(\d{1,15})\.([^\0]+)$/s.exec(cursor) ?? []
  if (time === undefined || id === undefined || !id.isWellFormed()) throw refuseCursor()
  return [Number(time), id]
}

/** The key of a delivery: the positions of its event and its subscription in their tables. */
export type DeliveryKey = { readonly event: number; readonly subscription: number }

const noDelivery: DeliveryKey = { event: 0, subscription: 0 }

export const formatDeliveryId = ({ event, subscription }: DeliveryKey): string =>
  `dlv_${event}_${subscription}`

/** Parses a delivery id, `dlv_<event>_<subscription>`. For any other string, returns a key that no delivery has. */
export const parseDeliveryId = (deliveryId: string): DeliveryKey => {
  const [, event, subscription] = /^dlv_([1-9]\d{0,14})_([1-9]\d{0,14})$/.exec(deliveryId) ?? []
  return event === undefined ? noDelivery : { event: Number(event), subscription: Number(subscription) }
}
