/**
 * Who is served next: organizations take turns, and so do the items of each. For stores, which claim deliveries in this
 * order (see {@link Store.claimDeliveries}).
 */
export type Turns<Item> = {
  has(item: Item): boolean
  /** Adds an item at the end of its organization; nothing happens when it is in. */
  add(organizationId: string, item: Item): void
  /** Removes an item; false when it is not in. */
  delete(item: Item): boolean
  /**
   * The item whose turn it is. It stays in, behind the other items of its organization, and its organization goes behind
   * the other organizations. Those in `except` are passed over.
   */
  next(except: ReadonlySet<string>): Item | undefined
}

/** Creates an empty round of turns. Every call takes the same time however many items there are. */
export const createTurns = <Item>(): Turns<Item> => {
  const organizations = new Map<string, Set<Item>>()
  const organizationOf = new Map<Item, string>()

  return {
    has: (item) => organizationOf.has(item),
    add: (organizationId, item) => {
      if (organizationOf.has(item)) return
      organizationOf.set(item, organizationId)
      const items = organizations.get(organizationId)
      if (items === undefined) organizations.set(organizationId, new Set([item]))
      else items.add(item)
    },
    delete: (item) => {
      const organizationId = organizationOf.get(item)
      if (organizationId === undefined) return false
      organizationOf.delete(item)
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
