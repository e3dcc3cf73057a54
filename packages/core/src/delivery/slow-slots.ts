/** Slots for attempts that are slow, or may be: they do little but wait. */
export type SlowSlots = {
  take(organizationId: string): void
  release(organizationId: string): void
  /** Returns the number of free slots; 0 if more are taken than there are. */
  countFree(): number
  /**
   * Returns the organizations that must not take more, because they have at least as many slots as are free. So some
   * slots are always left for the others.
   */
  listFull(): string[]
  isEmpty(): boolean
}

/** Creates slots. An attempt that must not wait takes one even if none is free. */
export const createSlowSlots = (capacity: number): SlowSlots => {
  const counts = new Map<string, number>()
  let taken = 0

  const change = (organizationId: string, by: 1 | -1): void => {
    taken += by
    const count = (counts.get(organizationId) ?? 0) + by
    if (count === 0) counts.delete(organizationId)
    else counts.set(organizationId, count)
  }
  const countFree = (): number => Math.max(0, capacity - taken)

  return {
    countFree,
    take: (organizationId) => change(organizationId, 1),
    release: (organizationId) => change(organizationId, -1),
    listFull: () => {
      const free = countFree()
      return [...counts].filter(([, count]) => count >= free).map(([organizationId]) => organizationId)
    },
    isEmpty: () => taken === 0,
  }
}
