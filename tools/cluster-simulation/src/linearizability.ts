/** A call to a store. All starts and ends are measured by the same clock. */
export type Call<Input, Output> = {
  readonly input: Input
  readonly from: number
  /** The end, or `Infinity` if it is unknown. */
  to: number
  /**
   * The output, or `undefined` if it is unknown. The call may then have taken effect at any time after its start, or
   * never.
   */
  output: Output | undefined
}

/** The behavior of a store whose calls do not overlap. */
export type Model<State, Input, Output> = {
  readonly initial: State
  /** Returns the next state, or `undefined` if the call cannot have this output in this state. */
  apply(state: State, input: Input, output: Output | undefined): State | undefined
}

/**
 * Returns whether all outputs match some order in which the calls took effect, each between its start and its end. Uses
 * the algorithm of Wing and Gong (1993) with Lowe's cache of visited states (2017).
 */
export const isLinearizable = <State, Input, Output>(
  calls: readonly Call<Input, Output>[],
  { initial, apply }: Model<State, Input, Output>,
): boolean => {
  const seen = new Set<string>()

  const search = (left: readonly number[], state: State): boolean => {
    const open = left.flatMap((index) => calls[index] ?? [])
    if (open.every(({ output }) => output === undefined)) return true
    const key = `${left.join(' ')} ${JSON.stringify(state)}`
    if (seen.has(key)) return false
    seen.add(key)
    const firstEnd = Math.min(...open.map(({ to }) => to))
    return left.some((index) => {
      const call = calls[index]
      if (call === undefined || call.from > firstEnd) return false
      const next = apply(state, call.input, call.output)
      const others = left.filter((each) => each !== index)
      return next !== undefined && search(others, next)
    })
  }
  return search([...calls.keys()], initial)
}

export type CreateOutput = 'created' | 'same' | 'conflict'

/** The model of a group. The first call to create it determines the stored request. */
export const createModel: Model<string | null, { readonly requestHash: string }, CreateOutput> = {
  initial: null,
  apply: (state, { requestHash }, output) => {
    const expected = state === null ? 'created' : state === requestHash ? 'same' : 'conflict'
    return output === undefined || output === expected ? (state ?? requestHash) : undefined
  },
}
