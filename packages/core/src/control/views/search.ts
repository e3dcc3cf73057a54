import * as z from 'zod/mini'
import { named, UtcOrNull } from '../schemas.ts'

export const SearchHitView = named(
  'SearchHit',
  'A record that a search found. `id` is that of the record; for a `customer`, the digits of the number. `label` is a text for people, such as the subject of a group. `exact` is true if the searched text is its id, the number of a customer, or a `webhook-id` of an event.',
  z.object({
    kind: z.enum([
      'call',
      'group',
      'customer',
      'event',
      'delivery',
      'subscription',
      'api_key',
      'api_request',
    ]),
    id: z.string(),
    label: z.string(),
    at: UtcOrNull,
    exact: z.boolean(),
  }),
)
export type SearchHitView = z.input<typeof SearchHitView>
