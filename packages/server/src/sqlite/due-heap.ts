/** A subscription, and when the earliest of its deliveries is due. */
export type DueTime = { readonly subscription: number; readonly dueAt: number }

/** Times of subscriptions, the earliest first: a binary heap that knows where each subscription is. */
export type DueHeap = {
  first(): DueTime | undefined
  find(subscription: number): DueTime | undefined
  /** Adds a subscription, or moves it to another time. */
  put(time: DueTime): void
  /** Takes a subscription out, if it is in. */
  remove(subscription: number): void
}

/** Makes an empty heap. */
export const createDueHeap = (): DueHeap => {
  const times: DueTime[] = []
  const slots = new Map<number, number>()

  const place = (time: DueTime, slot: number): void => {
    times[slot] = time
    slots.set(time.subscription, slot)
  }

  /** Brings a time from a slot whose content may be overwritten to where it belongs. */
  const settle = (time: DueTime, from: number): void => {
    let slot = from
    for (;;) {
      const above = (slot - 1) >> 1
      const parent = slot > 0 ? times[above] : undefined
      if (parent === undefined || parent.dueAt <= time.dueAt) break
      place(parent, slot)
      slot = above
    }
    for (;;) {
      const left = 2 * slot + 1
      const [first, second] = [times[left], times[left + 1]]
      const isSecondLess = first !== undefined && second !== undefined && second.dueAt < first.dueAt
      const least = isSecondLess ? second : first
      if (least === undefined || least.dueAt >= time.dueAt) break
      place(least, slot)
      slot = isSecondLess ? left + 1 : left
    }
    place(time, slot)
  }

  return {
    first: () => times[0],
    find: (subscription) => times[slots.get(subscription) ?? -1],
    put: (time) => settle(time, slots.get(time.subscription) ?? times.length),
    remove: (subscription) => {
      const slot = slots.get(subscription)
      if (slot === undefined) return
      slots.delete(subscription)
      const last = times.pop()
      if (last !== undefined && last.subscription !== subscription) settle(last, slot)
    },
  }
}
