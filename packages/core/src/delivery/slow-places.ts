/** The places of attempts that are slow, or may be: they do little but wait. */
export type SlowPlaces = {
  enter(organizationId: string): void
  leave(organizationId: string): void
  /** How many are free; none when more have entered than there are places. */
  free(): number
  /** Organizations that get no more: those that hold at least as many places as are free. So some are always left. */
  full(): string[]
  isEmpty(): boolean
}

/** Creates so many places. Whoever must not wait enters even when none is free. */
export const createSlowPlaces = (capacity: number): SlowPlaces => {
  const held = new Map<string, number>()
  let taken = 0

  const change = (organizationId: string, by: 1 | -1): void => {
    taken += by
    const now = (held.get(organizationId) ?? 0) + by
    if (now === 0) held.delete(organizationId)
    else held.set(organizationId, now)
  }
  const free = (): number => Math.max(0, capacity - taken)

  return {
    free,
    enter: (organizationId) => change(organizationId, 1),
    leave: (organizationId) => change(organizationId, -1),
    full: () => {
      const left = free()
      return [...held].filter(([, count]) => count >= left).map(([organizationId]) => organizationId)
    },
    isEmpty: () => taken === 0,
  }
}
