import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { CallView } from './call.ts'
import { DeliveryView } from './delivery.ts'
import { ParticipantView } from './group.ts'

export const CustomerView = named(
  'Customer',
  'What is stored about a customer. `calls` has the newest 20, with their summaries; list calls with `customer` for all. `memberships` has the groups that the customer joined, including those they have left. `deliveries` has those of these calls and memberships, newest first, at most 100.',
  z.object({
    number: z.string(),
    digits: z.string(),
    calls: z.array(CallView),
    hasMoreCalls: z.boolean(),
    memberships: z.array(ParticipantView),
    deliveries: z.array(DeliveryView),
  }),
)
