import type { CallSummary } from '@wabakit/contract'
import type { Account } from './account.ts'
import { conversations } from './conversations.ts'
import { personName, phoneNumber } from './people.ts'
import { createSeededRandom, pick, wholeNumber } from './seeded-random.ts'

/** What is made up for a call of which nothing was said. */
export type CallData = {
  readonly customerNumber: string
  readonly customerName: string
  readonly agentNumber: string
  /** Whole seconds. */
  readonly durationInSeconds: number
  readonly summary: CallSummary
}

/** Data of the call with this number of a tenant; the same seed gives the same. */
export const createCallData = (seed: number, { organizationId, ...own }: Account, call: number): CallData => {
  const random = createSeededRandom(seed, organizationId, 'call', call)
  const taken = [own.wabaNumber, own.pstnNumber]
  const customerNumber = phoneNumber(random, taken)
  return {
    customerNumber,
    customerName: personName(random),
    agentNumber: phoneNumber(random, [...taken, customerNumber]),
    durationInSeconds: wholeNumber(random, 25, 480),
    summary: pick(random, conversations),
  }
}
