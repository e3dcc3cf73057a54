/** A call to a store, with its start and end. All times are from the same clock. */
export type Call<Input, Output> = {
  readonly input: Input
  readonly from: number
  /** `Infinity` if the caller did not see it end. */
  to: number
  /** `undefined` if unknown: the call may have taken effect at any time since it started, or never. */
  output: Output | undefined
}

/** The behavior of a store when calls do not overlap. */
export type Model<State, Input, Output> = {
  readonly initial: State
  /** Returns the next state, or `undefined` if the call cannot have this output in this state. */
  apply(state: State, input: Input, output: Output | undefined): State | undefined
}

/**
 * Returns whether some order of the calls explains all outputs, where each call takes effect between its start and end.
 * Uses the algorithm of Wing and Gong (1993) with Lowe's cache of visited states (2017).
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

/** The model of creating one group: the first call determines the stored request. */
export const createModel: Model<string | null, { readonly requestHash: string }, CreateOutput> = {
  initial: null,
  apply: (state, { requestHash }, output) => {
    const expected = state === null ? 'created' : state === requestHash ? 'same' : 'conflict'
    return output === undefined || output === expected ? (state ?? requestHash) : undefined
  },
}

export type OwnerInput = { readonly kind: 'take' } | { readonly kind: 'settle'; readonly epoch: number }

/**
 * The model of one shard and one of its deliveries: workers take the shard, and its last owner settles the delivery
 * once. Taking the shard outputs the new epoch.
 */
export const ownerModel: Model<
  { readonly epoch: number; readonly isDone: boolean },
  OwnerInput,
  number | 'settled' | 'stale'
> = {
  initial: { epoch: 0, isDone: false },
  apply: ({ epoch, isDone }, input, output) => {
    if (input.kind === 'take') return output === epoch + 1 ? { epoch: output, isDone } : undefined
    const expected = input.epoch === epoch && !isDone ? 'settled' : 'stale'
    if (output !== undefined && output !== expected) return undefined
    return { epoch, isDone: isDone || expected === 'settled' }
  },
}
