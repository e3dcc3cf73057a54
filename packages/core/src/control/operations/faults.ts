import * as z from 'zod/mini'
import { requireFound } from '../../hosting/control-error.ts'
import {
  ApiFault,
  type ApiFaults,
  type EndpointFault,
  FaultedEndpoint,
  FaultOptions,
  type PlannedFault,
} from '../../simulation/index.ts'
import { identifier, optional } from '../../values/input-schemas.ts'
import type { MockControl } from '../mock-control.ts'
import { operationIn } from '../operation.ts'
import { list, named } from '../schemas.ts'

const operation = operationIn('Faults', 'faults')
const path = '/faults'

const endpoint = FaultedEndpoint.check(z.describe('Requests that fail.'))
const fault = { endpoint, ...FaultOptions.shape, ...ApiFault.shape }

const FaultRequest = named(
  'FaultRequest',
  'A fault of the next `times` requests (default: 1) to an endpoint: a different `status`, `code`, `message`, `body` or `headers`, a delay of `latencyMs`, or one of `reset`, `malformed`, `html`, `truncated` and `offContract`. `carriedOut` says whether the service still performs the request.',
  z.strictObject(fault),
)
const PlannedFaultView = named(
  'PlannedFault',
  'A fault that affects upcoming requests.',
  z.object({ ...fault, id: z.string(), remaining: z.union([z.number(), z.literal('always')]) }),
)

const showFault = ({ id, remaining, fault: { fault, ...options } }: PlannedFault<EndpointFault>) => ({
  ...options,
  ...fault,
  id,
  remaining,
})

/**
 * The organization whose requests fail, on the mock. A server ignores it. The schema is not strict, because the command
 * line sends a `limit` to every list.
 */
const query = z.object({
  organization: optional(
    identifier,
    'Organization of the mock. Default: its first. On a server, faults affect all organizations.',
  ),
})

const findFaults = (
  { faults, mock }: { readonly faults: ApiFaults; readonly mock?: MockControl | undefined },
  { organization }: z.infer<typeof query>,
): ApiFaults =>
  mock === undefined || organization === undefined
    ? faults
    : requireFound(mock.findTenant(organization), 'organization', organization).apiFaults

export const faultOperations = [
  operation({
    id: 'listFaults',
    route: `GET ${path}`,
    summary: 'List the faults that affect upcoming requests',
    query,
    result: list('PlannedFault', PlannedFaultView),
    run: async (input, context) => ({ items: findFaults(context, input.query).list().map(showFault) }),
  }),
  operation({
    id: 'addFault',
    route: `POST ${path}`,
    summary: 'Make the next requests to an endpoint fail',
    query,
    body: FaultRequest,
    result: PlannedFaultView,
    status: 201,
    run: async ({ query: scope, body: { endpoint, times, chance, ...fault } }, context) =>
      showFault(findFaults(context, scope).add({ endpoint, times, chance, fault })),
  }),
  operation({
    id: 'removeFault',
    route: `DELETE ${path}/:faultId`,
    summary: 'Remove a fault',
    query,
    run: async ({ query: scope, params: { faultId } }, context) => {
      const faults = findFaults(context, scope)
      requireFound(
        faults.list().find(({ id }) => id === faultId),
        'fault',
        faultId,
      )
      faults.remove(faultId)
    },
  }),
  operation({
    id: 'clearFaults',
    route: `DELETE ${path}`,
    summary: 'Remove all faults',
    query,
    run: async (input, context) => findFaults(context, input.query).clear(),
  }),
]
