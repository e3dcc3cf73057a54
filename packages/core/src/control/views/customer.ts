import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { ArrivalView } from './arrival.ts'
import { ListedCallView } from './call.ts'
import { DeliveryView } from './delivery.ts'
import { ParticipantView } from './group.ts'

const endpoints = { endpoints: z.array(ArrivalView) }

export const CustomerView = named(
  'Customer',
  'The calls and memberships of a customer. `calls` has the newest 20, with their summaries; list calls with `customer` for all. `memberships` has the groups that the customer joined, including those that they left or were removed from. `endpoints` says for each endpoint whether the events of the call, or the events of the customer in the group, have arrived there; it is empty for memberships after the twentieth. `deliveries` has the newest of these calls and memberships, at most 10 of each and 100 in total.',
  z.object({
    number: z.string(),
    digits: z.string(),
    calls: z.array(z.extend(ListedCallView, endpoints)),
    hasMoreCalls: z.boolean(),
    memberships: z.array(z.extend(ParticipantView, endpoints)),
    deliveries: z.array(DeliveryView),
  }),
)
