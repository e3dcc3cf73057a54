import type { CallSummary } from '@wabakit/contract'
import type { Random } from '../values/ids.ts'
import { conversations } from './conversations.ts'
import { createPersonName, createPhoneNumber } from './people.ts'
import { pick, pickInteger } from './seeded-random.ts'

/** Made-up data for a call. */
export type CallData = {
  readonly customerNumber: string
  readonly customerName: string
  readonly agentNumber: string
  /** Length of the conversation, in whole seconds. */
  readonly durationInSeconds: number
  readonly summary: CallSummary
}

/**
 * Makes up data for a call.
 *
 * @param taken - numbers that neither the customer nor the team member may have.
 */
export const createCallData = (random: Random, taken: readonly string[] = []): CallData => {
  const customerNumber = createPhoneNumber(random, taken)
  return {
    customerNumber,
    customerName: createPersonName(random),
    agentNumber: createPhoneNumber(random, [...taken, customerNumber]),
    durationInSeconds: pickInteger(random, 25, 480),
    summary: pick(random, conversations),
  }
}
