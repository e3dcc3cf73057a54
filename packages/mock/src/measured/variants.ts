import { type Answer, listVariants } from '@wabakit/contract/profile'
import { createSeededRandom } from '@wabakit/core/simulation'

/** One of the values that were seen, `undefined` for nothing. */
export type Chosen<Value> = { readonly value: Value | undefined }

/** Chooses one of the values that contradict each other. Returns `undefined` if a question has no answer. */
export type Choose = <Value>(
  question: string,
  answer: Answer<Value> | undefined,
) => Chosen<Exclude<Value, 'never'>> | undefined

/** Plays every value of an answer in turn. The seed determines the first one. */
export const createChoose = (...seed: readonly (string | number)[]): Choose => {
  const next = new Map<string, number>()
  return (question, answer) => {
    const variants = listVariants(answer)
    if (variants.length === 0) return undefined
    const random = createSeededRandom(...seed, 'profile', question)
    const turn = next.get(question) ?? Math.floor(random() * variants.length)
    next.set(question, turn + 1)
    return { value: variants[turn % variants.length] }
  }
}
