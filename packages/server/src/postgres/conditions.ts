/** Conditions of a query, and its values, added as they are needed. */
export type Conditions = {
  /**
   * Adds a condition; each `?` stands for one of the values.
   *
   * @returns the conditions, for more.
   */
  and(sql: string, ...values: unknown[]): Conditions
  /** Adds a condition unless its value is `undefined`. */
  andIf(sql: string, value: unknown): Conditions
  /** Adds a value that stands elsewhere in the query, and gives its place, such as `$3`. */
  place(value: unknown): string
  /** All conditions, joined by AND. */
  readonly sql: string
  readonly values: readonly unknown[]
}

/** Starts with no condition. */
export const createConditions = (): Conditions => {
  const parts: string[] = []
  const values: unknown[] = []
  const conditions: Conditions = {
    and: (sql, ...added) => {
      let next = 0
      parts.push(sql.replaceAll('?', () => conditions.place(added[next++])))
      return conditions
    },
    andIf: (sql, value) => (value === undefined ? conditions : conditions.and(sql, value)),
    place: (value) => `$${values.push(value)}`,
    get sql() {
      return parts.join(' AND ')
    },
    values,
  }
  return conditions
}
