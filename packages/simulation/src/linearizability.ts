/** A call of a store, from its beginning to its end. Times may be of any clock that all calls share. */
export type Call<Input, Output> = {
  readonly input: Input
  readonly from: number
  /** `Infinity` if it never ended, as far as the caller knows. */
  to: number
  /** `undefined`: the caller does not know. It may have happened at any time since, or never. */
  output: Output | undefined
}

/** The behavior of a store when calls follow each other. */
export type Model<State, Input, Output> = {
  readonly initial: State
  /** Returns the next state, or `undefined` if the call cannot have this output in this state. */
  apply(state: State, input: Input, output: Output | undefined): State | undefined
}

/**
 * Returns whether there is an order of calls that explains all outputs, in which each call happens between its beginning and its end.
 * The algorithm is that of Wing and Gong (1993), with the memory of Lowe (2017).
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
      return (
        next !== undefined &&
        search(
          left.filter((each) => each !== index),
          next,
        )
      )
    })
  }
  return search([...calls.keys()], initial)
}

export type CreateOutput = 'created' | 'same' | 'conflict'

/** Creates of one group: the first one decides which request it was. */
export const createModel: Model<string | null, { readonly requestHash: string }, CreateOutput> = {
  initial: null,
  apply: (state, { requestHash }, output) => {
    const expected = state === null ? 'created' : state === requestHash ? 'same' : 'conflict'
    return output === undefined || output === expected ? (state ?? requestHash) : undefined
  },
}

export type OwnerInput = { readonly kind: 'take' } | { readonly kind: 'settle'; readonly epoch: number }

/** Takes of a shard, and settlements of one delivery there: the last owner settles it, once. A take has the new epoch as output. */
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
