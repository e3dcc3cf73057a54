import * as z from 'zod/mini'
import type { ErasureOptions, ErasureSelection, ReferenceServer } from '../../index.ts'
import { identifier, phoneNumber } from '../../values/input-schemas.ts'
import { toDigits } from '../../values/phone-number.ts'
import { operationIn } from '../operation.ts'
import { named, readPages } from '../schemas.ts'

const cursor = z.optional(z.string())
const dryRun = z.optional(z.boolean())

const Erasure = named(
  'ErasureRequest',
  'The call or the customer to erase. With `dryRun`, records are only counted.',
  z.union([
    z.strictObject({ callId: identifier, dryRun }),
    z.strictObject({ customerNumber: phoneNumber, cursor, dryRun }),
  ]),
)

const ErasedPart = named(
  'ErasedPart',
  'How many records of each kind were erased or, with `dryRun`, would be. Events are erased with their deliveries and attempts. If there is a `nextCursor`, the erasure is not complete: send the request again with it as `cursor`.',
  z.object({
    calls: z.number(),
    participants: z.number(),
    events: z.number(),
    nextCursor: z.optional(z.string()),
  }),
)

/**
 * Finds the calls to erase. For a customer, the first request, which has no cursor, finds all calls; later ones find
 * none.
 */
const findCalls = async function* (
  { calls }: ReferenceServer,
  organizationId: string,
  erasure: ErasureSelection & ErasureOptions,
): AsyncGenerator<string> {
  if (erasure.callId !== undefined) yield erasure.callId
  const customerDigits = erasure.cursor === undefined ? toDigits(erasure.customerNumber ?? '') : undefined
  if (customerDigits === undefined) return
  const ofCustomer = readPages((page) => calls.list(organizationId, { ...page, customerDigits }))
  for await (const { callId } of ofCustomer) yield callId
}

export const erasureOperations = [
  operationIn('Erasure')({
    id: 'erase',
    route: 'POST /organizations/:organizationId/erasures',
    summary: 'Erase one part of what is stored about a call or a customer',
    body: Erasure,
    result: ErasedPart,
    run: async ({ params: { organizationId }, body }, { service, requests }) => {
      const callIds: string[] = []
      if (body.dryRun !== true)
        for await (const callId of findCalls(service, organizationId, body)) callIds.push(callId)
      const forget = (): void => {
        for (const callId of callIds) requests.forgetCall(organizationId, callId)
      }
      // Before the erasure, which may fail, and again for the requests that were answered while it ran.
      forget()
      const erased = await service.erasures.erase(organizationId, body, body)
      forget()
      return erased
    },
  }),
]
