import type { ApiFault, ApiFaults, EndpointFault, PlannedFault } from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import { ControlError } from '../control-error.ts'
import { type ControlContext, operation } from '../operation.ts'
import { list, named } from '../schemas.ts'

const tag = 'Faults'
const path = '/faults'

const fault = {
  status: z.optional(z.int().check(z.gte(200), z.lte(599))),
  code: z.optional(z.string().check(z.minLength(1))),
  message: z.optional(z.string()),
  retryAfterSeconds: z.optional(z.union([z.number(), z.string()])),
  headers: z.optional(z.record(z.string(), z.string())),
  body: z.optional(z.unknown()),
  latencyMs: z.optional(z.number().check(z.gte(0), z.lte(600_000))),
  reset: z.optional(z.literal(true)),
  malformed: z.optional(z.literal(true)),
  html: z.optional(z.literal(true)),
  truncated: z.optional(z.literal(true)),
  offContract: z.optional(z.literal(true)),
  carriedOut: z.optional(z.boolean()),
} satisfies Record<keyof ApiFault, unknown>

const options = {
  endpoint: z.enum(['groups.create', 'calls.getSummary', '*']),
  times: z.optional(z.union([z.int().check(z.gte(1)), z.literal('always')])),
  chance: z.optional(z.number().check(z.gt(0), z.lte(1))),
}

const FaultRequest = named(
  'FaultRequest',
  'A fault of the next `times` requests (default: 1) to an endpoint: a different `status`, `code`, `message`, `body` or `headers`, a delay of `latencyMs`, or one of `reset`, `malformed`, `html`, `truncated` and `offContract`. `carriedOut` says whether the service still performs the request.',
  z.strictObject({ ...options, ...fault }),
)
const PlannedFaultView = named(
  'PlannedFault',
  'A fault that affects further requests.',
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

/** Operations on faults. They exist only if the server was started with `mock`. */
export const faultOperations = [
  operation({
    id: 'listFaults',
    method: 'GET',
    path,
    summary: 'List the faults that affect further requests',
    tag,
    result: list('PlannedFault', PlannedFaultView),
    run: async (_input, context) => ({ items: requireFaults(context).list().map(showFault) }),
  }),
  operation({
    id: 'addFault',
    method: 'POST',
    path,
    summary: 'Make the next requests to an endpoint fail',
    tag,
    body: FaultRequest,
    result: PlannedFaultView,
    status: 201,
    run: async ({ body: { endpoint, times, chance, ...fault } }, context) =>
      showFault(requireFaults(context).add({ endpoint, times, chance, fault })),
  }),
  operation({
    id: 'clearFaults',
    method: 'DELETE',
    path,
    summary: 'Remove all faults',
    tag,
    run: async (_input, context) => requireFaults(context).clear(),
  }),
]
