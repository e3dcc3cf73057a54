import * as z from 'zod/mini'
import { requireFound } from '../../hosting/control-error.ts'
import { text } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { list } from '../schemas.ts'
import { readCustomer } from '../search/read-customer.ts'
import { searchRecords } from '../search/search-records.ts'
import { CustomerView } from '../views/customer.ts'
import { SearchHitView } from '../views/search.ts'

const operation = operationIn('Overview')

export const searchOperations = [
  operation({
    id: 'search',
    route: 'GET /organizations/:organizationId/search',
    summary: 'Find records by an id, a number or a text; exact hits first',
    query: z.strictObject({
      text: text(
        'An id, a number, or a part of an id, a subject, a URL, a label, a payload or an API request (path, status, code, address, user agent, fingerprint of the key).',
      ),
      limit: z._default(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(50)), 20),
    }),
    result: list('SearchHit', SearchHitView),
    run: async ({ params, query }, context) => ({
      items: await searchRecords(context, { ...params, ...query }),
    }),
  }),
  operation({
    id: 'getCustomer',
    route: 'GET /organizations/:organizationId/customers/:number',
    summary: 'Get what is stored about a customer, by the number',
    result: CustomerView,
    run: async ({ params: { organizationId, number } }, context) =>
      requireFound(await readCustomer(context, organizationId, number), 'customer', number),
  }),
]
