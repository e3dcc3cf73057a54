/**
 * Determines the order of items: organizations take turns, and so do the items of each organization. The time of a call
 * does not grow with the number of items; only `next` takes longer with each organization that it skips.
 */
export type RoundRobin<Item> = ReturnType<typeof createRoundRobin<Item>>

export const createRoundRobin = <Item>() => {
  const organizations = new Map<string, Set<Item>>()
  const organizationIds = new Map<Item, string>()

  return {
    isEmpty: () => organizationIds.size === 0,
    /** Adds an item after the others of its organization. Does nothing if it has already been added. */
    add: (organizationId: string, item: Item): void => {
      if (organizationIds.has(item)) return
      organizationIds.set(item, organizationId)
      const items = organizations.get(organizationId)
      if (items === undefined) organizations.set(organizationId, new Set([item]))
      else items.add(item)
    },
    /** Removes an item. Returns false if there is no such item. */
    delete: (item: Item): boolean => {
      const organizationId = organizationIds.get(item)
      if (organizationId === undefined) return false
      organizationIds.delete(item)
      const items = organizations.get(organizationId)
      items?.delete(item)
      if (items?.size === 0) organizations.delete(organizationId)
      return true
    },
    /**
     * Returns the item whose turn it is. Moves it behind the other items of its organization, and its
     * organization behind the others. Skips organizations in `except`.
     */
    next: (except: ReadonlySet<string>): Item | undefined => {
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
