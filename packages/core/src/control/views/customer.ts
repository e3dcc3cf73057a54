import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { ArrivalView } from './arrival.ts'
import { CallView } from './call.ts'
import { DeliveryView } from './delivery.ts'
import { ParticipantView } from './group.ts'

const endpoints = { endpoints: z.array(ArrivalView) }

export const CustomerView = named(
  'Customer',
  'What is stored about a customer. `calls` has the newest 20, with their summaries; list calls with `customer` for all. `memberships` has the groups that the customer joined, including those they have left. `endpoints` says for each endpoint whether the events of the call, or the events of the customer in the group, have arrived there; memberships after the twentieth do not have it. `deliveries` has those of these calls and memberships, newest first, at most 100.',
  z.object({
    number: z.string(),
    digits: z.string(),
    calls: z.array(z.extend(CallView, endpoints)),
    hasMoreCalls: z.boolean(),
    memberships: z.array(z.extend(ParticipantView, endpoints)),
    deliveries: z.array(DeliveryView),
  }),
)
