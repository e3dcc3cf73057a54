import * as z from 'zod/mini'
import type { Faults } from '../../faults/faults.ts'
import { ControlError } from '../control-error.ts'
import { type ControlContext, operation } from '../operation.ts'
import { listOf, named } from '../schema-names.ts'

const tag = 'Faults'
const path = '/faults'

const fault = () => ({
  endpoint: z.enum(['groups.create', 'calls.getSummary']),
  status: z.optional(z.int().check(z.gte(200), z.lte(599))),
  retryAfterSeconds: z.optional(z.int().check(z.gte(0))),
  latencyMs: z.optional(z.int().check(z.gte(0), z.lte(600_000))),
  body: z.optional(z.enum(['malformed', 'html', 'empty'])),
  reset: z.optional(z.enum(['before', 'after'])),
  times: z.optional(z.int().check(z.gte(1))),
})

const FaultRequest = named(
  'FaultRequest',
  'What shall go wrong with the next `times` requests (1) to an endpoint: wait `latencyMs`, answer `status` or another body, or break the connection off before or after the service has done what was asked.',
  z.strictObject(fault()),
)
const PlannedFault = named(
  'PlannedFault',
  'A fault that is waiting for requests.',
  z.object({ ...fault(), id: z.string(), remaining: z.number() }),
)

const planned = ({ faults }: ControlContext): Faults => {
  if (faults !== undefined) return faults
  throw new ControlError('not_found', 'This server injects no faults. Start it with --mock to have it do so.')
}

/** Operations on faults; there only when the server was started with `mock`. */
export const faultOperations = [
  operation({
    id: 'listFaults',
    method: 'GET',
    path,
    summary: 'The faults that are waiting for requests',
    tag,
    result: listOf('PlannedFault', PlannedFault),
    run: async (_input, context) => ({ items: planned(context).list() }),
  }),
  operation({
    id: 'addFault',
    method: 'POST',
    path,
    summary: 'Let the next requests to an endpoint fail',
    tag,
    body: FaultRequest,
    result: PlannedFault,
    status: 201,
    run: async ({ body }, context) => planned(context).add(body),
  }),
  operation({
    id: 'clearFaults',
    method: 'DELETE',
    path,
    summary: 'Forget all faults',
    tag,
    run: async (_input, context) => planned(context).clear(),
  }),
]
