import { type Answer, listVariants } from '@wabakit/contract/profile'
import { createSeededRandom } from '@wabakit/core/simulation'

/** One of the values that were seen, `undefined` for nothing. */
export type Chosen<Value> = { readonly value: Value | undefined }

/** Chooses one of the values that contradict each other. Returns `undefined` if a question has no answer. */
export type Choose = <Value>(
  question: string,
  answer: Answer<Value> | undefined,
) => Chosen<Exclude<Value, 'never'>> | undefined

/**
 * Plays every value of an answer once, in an order from the seed, and then again in a newly drawn one: with one order, each event of a call
 * could get the same value in every call. Turns are counted by question, not by call. What differs by delivery is a separate question
 * for each subscription: two of them that take turns could otherwise get only one value each.
 */
export const createChoose = (...seed: readonly (string | number)[]): Choose => {
  const next = new Map<string, number>()
  return (question, answer) => {
    const variants = listVariants(answer)
    if (variants.length === 0) return undefined
    const turn = next.get(question) ?? 0
    next.set(question, turn + 1)
    const index = turn % variants.length
    const random = createSeededRandom(...seed, 'profile', question, turn - index)
    const order = variants
      .map((value) => ({ value, rank: random() }))
      .sort((one, other) => one.rank - other.rank)
    return order[index]
  }
}
