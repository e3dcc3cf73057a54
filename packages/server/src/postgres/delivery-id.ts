/**
 * Ids of deliveries. One that was made here is `dlv_` and its position, which counts from 1. One that came from a
 * SQLite database keeps its id from there, `dlv_<event>_<subscription>`; its position is negative and says the same:
 * `subscription − event × 10,000,000`, so that the deliveries of an event have the order of their subscriptions here,
 * too. `wabakit.delivery_id` is the way back.
 */
export const movedEventFactor = 10_000_000

/** The position that a delivery's id stands for; `0`, which none has, for what is no id of ours. */
export const deliveryPosition = (id: string): string => {
  const own = /^dlv_([1-9]\d{0,17})$/.exec(id)?.[1]
  if (own !== undefined) return own
  const [, event, subscription] = /^dlv_([1-9]\d{0,10})_([1-9]\d{0,6})$/.exec(id) ?? []
  if (event === undefined || subscription === undefined) return '0'
  return String(BigInt(subscription) - BigInt(event) * BigInt(movedEventFactor))
}
