/** Builds the conditions of a query, with their values. */
export type Conditions = {
  /**
   * Adds a condition. Each `?` stands for one of the values.
   *
   * @returns the same conditions.
   */
  and(sql: string, ...values: unknown[]): Conditions
  /** Adds a condition unless its value is `undefined`. */
  andIf(sql: string, value: unknown): Conditions
  /** Adds a value for another part of the query and returns its parameter, such as `$3`. */
  addValue(value: unknown): string
  /** The conditions, joined by AND. */
  readonly sql: string
  readonly values: readonly unknown[]
}

export const createConditions = (): Conditions => {
  const parts: string[] = []
  const values: unknown[] = []
  const conditions: Conditions = {
    and: (sql, ...added) => {
      let next = 0
      parts.push(sql.replaceAll('?', () => conditions.addValue(added[next++])))
      return conditions
    },
    andIf: (sql, value) => (value === undefined ? conditions : conditions.and(sql, value)),
    addValue: (value) => `$${values.push(value)}`,
    get sql() {
      return parts.join(' AND ')
    },
    values,
  }
  return conditions
}
