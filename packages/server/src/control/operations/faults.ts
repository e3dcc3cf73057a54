import type { ApiFault, ApiFaults, EndpointFault, PlannedFault } from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import { ControlError, requireFound } from '../control-error.ts'
import { type ControlContext, operationIn } from '../operation.ts'
import { describe, list, named } from '../schemas.ts'

const operation = operationIn('Faults')
const path = '/faults'

const fault = {
  status: z.optional(z.int().check(z.gte(200), z.lte(599))).check(describe('Status of the response.')),
  code: z.optional(z.string().check(z.minLength(1))).check(describe('Error code of the response.')),
  message: z.optional(z.string()).check(describe('Message of the error.')),
  retryAfterSeconds: z.optional(z.union([z.number(), z.string()])).check(describe('Value of Retry-After.')),
  headers: z.optional(z.record(z.string(), z.string())).check(describe('Additional response headers.')),
  body: z.optional(z.unknown()).check(describe('Body of the response.')),
  latencyMs: z
    .optional(z.number().check(z.gte(0), z.lte(600_000)))
    .check(describe('Delay of the response in milliseconds.')),
  reset: z.optional(z.literal(true)).check(describe('Drop the connection.')),
  malformed: z.optional(z.literal(true)).check(describe('Respond with broken JSON.')),
  html: z.optional(z.literal(true)).check(describe('Respond with an HTML page.')),
  truncated: z.optional(z.literal(true)).check(describe('End the response early.')),
  offContract: z.optional(z.literal(true)).check(describe('Respond with unexpected fields.')),
  carriedOut: z.optional(z.boolean()).check(describe('Carry out the request anyway.')),
} satisfies Record<keyof ApiFault, unknown>

const options = {
  endpoint: z.enum(['groups.create', 'calls.getSummary', '*']).check(describe('Requests that fail.')),
  times: z
    .optional(z.union([z.int().check(z.gte(1)), z.literal('always')]))
    .check(describe('Number of requests, or always. Default: 1.')),
  chance: z
    .optional(z.number().check(z.gt(0), z.lte(1)))
    .check(describe('Fraction of requests, from 0 to 1.')),
}

const FaultRequest = named(
  'FaultRequest',
  'A fault of the next `times` requests (default: 1) to an endpoint: a different `status`, `code`, `message`, `body` or `headers`, a delay of `latencyMs`, or one of `reset`, `malformed`, `html`, `truncated` and `offContract`. `carriedOut` says whether the service still performs the request.',
  z.strictObject({ ...options, ...fault }),
)
const PlannedFaultView = named(
  'PlannedFault',
  'A fault that affects upcoming requests.',
  z.object({
    ...options,
    ...fault,
    id: z.string(),
    remaining: z.union([z.number(), z.literal('always')]),
  }),
)

const showFault = ({ id, remaining, fault: { fault, ...options } }: PlannedFault<EndpointFault>) => ({
  ...options,
  ...fault,
  id,
  remaining,
})

const requireFaults = ({ faults }: ControlContext): ApiFaults => {
  if (faults !== undefined) return faults
  throw new ControlError('not_found', 'This server does not inject faults. Start it with --mock.')
}

/** Operations on faults, which exist only if the server was started with `mock`. */
export const faultOperations = [
  operation({
    id: 'listFaults',
    route: `GET ${path}`,
    summary: 'List the faults that affect upcoming requests',
    result: list('PlannedFault', PlannedFaultView),
    run: async (_input, context) => ({ items: requireFaults(context).list().map(showFault) }),
  }),
  operation({
    id: 'addFault',
    route: `POST ${path}`,
    summary: 'Make the next requests to an endpoint fail',
    body: FaultRequest,
    result: PlannedFaultView,
    status: 201,
    run: async ({ body: { endpoint, times, chance, ...fault } }, context) =>
      showFault(requireFaults(context).add({ endpoint, times, chance, fault })),
  }),
  operation({
    id: 'removeFault',
    route: `DELETE ${path}/:faultId`,
    summary: 'Remove a fault',
    run: async ({ params: { faultId } }, context) => {
      const faults = requireFaults(context)
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
    run: async (_input, context) => requireFaults(context).clear(),
  }),
]
