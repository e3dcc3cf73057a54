/** Determines the order of items: organizations take turns, and so do the items of each organization. */
export type RoundRobin<Item> = {
  isEmpty(): boolean
  /** Adds an item after the others of its organization. Does nothing if it has already been added. */
  add(organizationId: string, item: Item): void
  /** Removes an item. Returns false if there is no such item. */
  delete(item: Item): boolean
  /**
   * Returns the item whose turn it is. Moves it behind the other items of its organization, and its organization behind
   * the others. Skips organizations in `except`.
   */
  next(except: ReadonlySet<string>): Item | undefined
}

/** Creates a round robin without items. Every call takes constant time, however many items there are. */
export const createRoundRobin = <Item>(): RoundRobin<Item> => {
  const organizations = new Map<string, Set<Item>>()
  const organizationIds = new Map<Item, string>()

  return {
    isEmpty: () => organizationIds.size === 0,
    add: (organizationId, item) => {
      if (organizationIds.has(item)) return
      organizationIds.set(item, organizationId)
      const items = organizations.get(organizationId)
      if (items === undefined) organizations.set(organizationId, new Set([item]))
      else items.add(item)
    },
    delete: (item) => {
      const organizationId = organizationIds.get(item)
      if (organizationId === undefined) return false
      organizationIds.delete(item)
      const items = organizations.get(organizationId)
      items?.delete(item)
      if (items?.size === 0) organizations.delete(organizationId)
      return true
    },
    next: (except) => {
      for (const [organizationId, items] of organizations) {
        if (except.has(organizationId)) continue
        organizations.delete(organizationId)
        organizations.set(organizationId, items)
        for (const item of items) {
          items.delete(item)
          items.add(item)
          return item
        }
      }
      return undefined
    },
  }
}
