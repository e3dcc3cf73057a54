import * as z from 'zod/mini'
import { requireFound } from '../../hosting/control-error.ts'
import { optional } from '../../values/input-schemas.ts'
import { operationIn } from '../operation.ts'
import {
  listSubscriptionOverviews,
  readOverview,
  readSubscriptionOverviews,
} from '../overview/read-overview.ts'
import { page, pageQuery, time } from '../schemas.ts'
import { OverviewView, OverviewWindow, SubscriptionOverviewView } from '../views/overview.ts'

const operation = operationIn('Overview')
const range = {
  window: z._default(
    OverviewWindow.check(z.describe('The last hour by minutes, day by ten minutes, or week by hours.')),
    'hour',
  ),
  from: optional(time, 'Start of a range, which is shown instead of the window (ISO 8601).'),
  before: optional(time, 'End of the range (ISO 8601). Default: now.'),
}

export const overviewOperations = [
  operation({
    id: 'getOverview',
    route: 'GET /organizations/:organizationId/overview',
    summary: 'Get what happened in the last hour, day or week, over time',
    query: z.strictObject(range),
    result: OverviewView,
    run: async ({ params, query }, context) => readOverview(context, params.organizationId, query),
  }),
  operation({
    id: 'listSubscriptionOverviews',
    route: 'GET /organizations/:organizationId/overview/subscriptions',
    summary:
      'List the overviews of subscriptions, failing ones first, then those that the server has disabled',
    query: z.strictObject({
      ...range,
      cursor: pageQuery.cursor,
      limit: z._default(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(100)), 25),
    }),
    result: page('SubscriptionOverview', SubscriptionOverviewView),
    run: async ({ params, query }, context) =>
      listSubscriptionOverviews(context, params.organizationId, query),
  }),
  operation({
    id: 'getSubscriptionOverview',
    route: 'GET /organizations/:organizationId/subscriptions/:subscriptionId/overview',
    summary: 'Get the attempts of a subscription in the last hour, day or week, over time',
    query: z.strictObject(range),
    result: SubscriptionOverviewView,
    run: async ({ params: { organizationId, subscriptionId: id }, query }, context) => {
      const found = await context.service.subscriptions.find(organizationId, id)
      const subscription = requireFound(found, 'subscription', id)
      const [overview] = await readSubscriptionOverviews(context, [subscription], query)
      return requireFound(overview, 'subscription', id)
    },
  }),
]
