import * as z from 'zod/mini'
import { operation } from '../operation.ts'
import { identifier, named, phoneNumber } from '../schemas.ts'

const cursor = () => z.optional(z.string())
const dryRun = () => z.optional(z.boolean())

const Erasure = named(
  'ErasureRequest',
  'The call or the customer to erase. With `dryRun`, records are only counted.',
  z.union([
    z.strictObject({ callId: identifier(), dryRun: dryRun() }),
    z.strictObject({ customerNumber: phoneNumber(), cursor: cursor(), dryRun: dryRun() }),
  ]),
)

const ErasedPart = named(
  'ErasedPart',
  'How many records of each kind were erased. Events include their deliveries and attempts. If there is a `nextCursor`, the erasure is not complete: send the request again with it as `cursor`.',
  z.object({
    calls: z.number(),
    participants: z.number(),
    events: z.number(),
    nextCursor: z.optional(z.string()),
  }),
)

/** Operations that erase personal data. */
export const erasureOperations = [
  operation({
    id: 'erase',
    method: 'POST',
    path: '/organizations/:organizationId/erasures',
    summary: 'Erase one part of what is stored about a call or a customer',
    tag: 'Erasure',
    body: Erasure,
    result: ErasedPart,
    run: ({ parameter, body }, { service }) =>
      service.erasures.erase(parameter('organizationId'), body, body),
  }),
]
