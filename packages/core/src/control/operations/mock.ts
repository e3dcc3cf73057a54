import * as z from 'zod/mini'
import { ControlError, requireFound } from '../../hosting/control-error.ts'
import type { PlannedFault } from '../../simulation/index.ts'
import { optional } from '../../values/input-schemas.ts'
import { Account, type Json, type MockControl, type MockTenantControl } from '../mock-control.ts'
import { operationIn } from '../operation.ts'
import { list, named, Utc, utc } from '../schemas.ts'

const operation = operationIn('Mock', 'mock')
const path = '/organizations/:organizationId'

const requireTenant = (mock: MockControl, organizationId: string): MockTenantControl =>
  requireFound(mock.findTenant(organizationId), 'organization', organizationId)

const object = z.record(z.string(), z.unknown())
const Duration = z
  .union([z.number(), z.string()])
  .check(z.describe("Milliseconds, or such as '30s' or '5m'."))
const Clock = named(
  'MockClock',
  'The clock of an organization of the mock, which only moves on request if it is virtual, and what is due later, earliest first.',
  z.object({
    now: Utc,
    isVirtual: z.boolean(),
    due: z.array(z.object({ at: Utc, description: z.string() })),
  }),
)
export type ClockView = z.input<typeof Clock>
const showClock = async (tenant: MockTenantControl) => ({
  now: utc(tenant.now()),
  isVirtual: tenant.isVirtual,
  due: (await tenant.listDue()).map(({ at, description }) => ({ at: utc(at), description })),
})

const PendingWait = named(
  'PendingWait',
  'A wait that has not ended, and why.',
  z.object({ wait: z.string(), reasons: z.array(z.string()) }),
)
export type PendingWaitView = z.infer<typeof PendingWait>

const TestLogEntryView = named(
  'TestLogEntry',
  'One thing that happened in a test: a `step` of the test, a `request` to the API, an `event`, a `delivery`, or how a `wait` or a `test` ended.',
  z.object({
    at: Utc,
    kind: z.enum(['step', 'request', 'event', 'delivery', 'wait', 'test']),
    text: z.string(),
    details: z.string().check(z.describe('Further lines, such as the reasons of a failure.')),
    failed: z.boolean(),
    fault: z.string().check(z.describe('What struck a request or a delivery.')),
  }),
)
export type TestLogEntryView = z.input<typeof TestLogEntryView>

const setting = (description: string) => optional(z.unknown(), description)
const TenantSettings = named(
  'TenantSettings',
  'Settings of `mock.tenant()`, which the mock checks.',
  z.looseObject({
    callSummaries: setting('`automatic` or `manual`. Default: `automatic`.'),
    joinApprovalMode: setting('For groups whose request names none. Default: `auto_approve`.'),
    integrationEnabled: setting('With `false`, creating a group fails with 422. Default: `true`.'),
    rateLimit: setting('`{ organization, key, ip }`, each `{ requests, perMs }`. Default: `false`.'),
    authHeader: setting('Header that carries the key.'),
    webhookUrl: setting('URL that gets every event, also after a reset. Default: none.'),
    webhookAuth: setting(
      '`{ urlToken, parameter }`, `{ header, value }`, `{ token }`, or `{ username, password, encoded }`.',
    ),
    live: setting(
      '`{ groupEventNames, nullFields, pstnCalling, dropCredentials, registrations, retryOnTimeout }`, in the profile `live`.',
    ),
  }),
)

const faultFields = {
  kind: z.enum(['duplicate', 'drop', 'timeOut', 'neverRetry', 'delay', 'tamper', 'reorder']),
  event: optional(z.string(), 'Name of an event, or `*`. Every kind but `reorder` needs one.'),
  events: optional(z.array(z.string()), 'For `reorder`: names of events, in order of arrival.'),
  copies: optional(z.number(), 'For `duplicate`: number of additional requests. Default: 1.'),
  concurrent: optional(z.boolean(), 'For `duplicate`: sends the copies at the same time. Default: `false`.'),
  by: z.optional(Duration),
  part: optional(z.enum(['body', 'signature', 'timestamp', 'missing_header']), 'For `tamper`: what changes.'),
  header: optional(z.string(), 'For `tamper` with `missing_header`: the header.'),
  where: optional(object, 'Fields of the payload.'),
  to: optional(z.string(), 'Id of a subscription. Default: any.'),
  times: optional(z.union([z.number(), z.literal('always')]), 'Number of hits, or always. Default: 1.'),
  chance: optional(z.number(), 'Fraction of deliveries, from 0 to 1.'),
}
const DeliveryFault = named(
  'DeliveryFaultRequest',
  'A fault of the next deliveries of an event. `delay` needs `by`, and `tamper` needs `part`.',
  z.strictObject(faultFields),
)
const PlannedDeliveryFault = named(
  'PlannedDeliveryFault',
  'A fault that has hits left. With `hits` 0, it was never applied.',
  z.looseObject({ id: z.string(), remaining: z.union([z.number(), z.literal('always')]), hits: z.number() }),
)
const showFault = ({ id, fault, remaining, hits }: PlannedFault<Json>) => ({ ...fault, id, remaining, hits })

const Wait = named(
  'WaitRequest',
  'Waits for the first matching event, past or future, or for a delivery of it that a subscribed endpoint acknowledges. `no_event` watches for `timeoutMs`, and fails if one has happened by then.',
  z.strictObject({
    for: z.enum(['delivery', 'event', 'no_event']),
    name: z.string(),
    match: optional(object, 'Fields of the event, at any depth.'),
    timeoutMs: optional(
      z.number().check(z.gte(0), z.lte(600_000)),
      'Milliseconds of real time. Default: 1,000; for `no_event`: 0.',
    ),
  }),
)
const Trigger = named(
  'TriggerRequest',
  'Any event, also one that the service itself would not send: a known one by its `name`, changed by `overrides`, or any `payload`.',
  z.strictObject({
    name: z.optional(z.string()),
    overrides: z.optional(object),
    payload: z.optional(object),
  }),
)

/** Operations that only the mock on a port has, and some of them the trace of a test. */
export const mockOperations = [
  operation({
    id: 'createTenant',
    route: 'POST /tenants',
    summary: 'Add an isolated organization to the mock',
    body: TenantSettings,
    result: Account,
    status: 201,
    run: async ({ body }, { mock }) => mock.createTenant(body),
  }),
  operation({
    id: 'listTenants',
    route: 'GET /tenants',
    summary: 'List the organizations of the mock, with their keys and secrets',
    result: list('MockAccount', Account),
    run: async (_input, { mock }) => ({ items: [...mock.listTenants()] }),
  }),
  operation({
    id: 'resetTenant',
    route: `POST ${path}/reset`,
    summary: 'Forget what happened, with faults, recordings and added subscriptions',
    run: async ({ params }, { mock }) => requireTenant(mock, params.organizationId).reset(),
  }),
  operation({
    id: 'getClock',
    route: `GET ${path}/clock`,
    summary: 'Get the time of the mock, and what is due later',
    result: Clock,
    run: async ({ params }, { mock }) => showClock(requireTenant(mock, params.organizationId)),
  }),
  operation({
    id: 'advanceClock',
    route: `POST ${path}/clock`,
    summary: 'Move the virtual clock forward, and wait for everything that becomes due',
    body: named('AdvanceRequest', 'A length of time.', z.strictObject({ advance: Duration })),
    result: Clock,
    run: async ({ params, body }, { mock }) => {
      const tenant = requireTenant(mock, params.organizationId)
      await tenant.advance(body.advance)
      return showClock(tenant)
    },
  }),
  operation({
    id: 'listWaits',
    route: `GET ${path}/waits`,
    summary: 'List the waits of all tests that have not ended, and why',
    result: list('PendingWait', PendingWait),
    run: async ({ params }, { mock }) => {
      const waits = await requireTenant(mock, params.organizationId).listWaits()
      return { items: waits.map(({ wait, reasons }) => ({ wait, reasons: [...reasons] })) }
    },
  }),
  operation({
    id: 'getTestLog',
    route: `GET ${path}/test-log`,
    summary: 'List what happened in the test, and how its waits ended, oldest first',
    result: list('TestLogEntry', TestLogEntryView),
    run: async ({ params }, { mock }) => {
      const entries = requireTenant(mock, params.organizationId).listLog()
      return { items: entries.map((each) => ({ ...each, at: utc(each.at) })) }
    },
  }),
  operation({
    id: 'waitForEvent',
    route: `POST ${path}/waits`,
    summary: 'Wait for an event or its delivery',
    body: Wait,
    result: named(
      'WaitResult',
      'The event or the delivery; empty for `no_event`.',
      z.record(z.string(), z.unknown()),
    ),
    run: async ({ params, body }, { mock }) => ({
      ...(await requireTenant(mock, params.organizationId).wait(body)),
    }),
  }),
  operation({
    id: 'triggerEvent',
    route: `POST ${path}/triggered-events`,
    summary: 'Send any event, also one that the service itself would not send',
    body: Trigger,
    run: async ({ params, body: { name, payload, overrides } }, { mock }) => {
      const event = name ?? payload
      if (event === undefined || (name !== undefined && payload !== undefined))
        throw new ControlError('invalid_input', 'Send either a `name` or a `payload`.')
      await requireTenant(mock, params.organizationId).trigger(event, overrides)
    },
  }),
  operation({
    id: 'getRecordings',
    route: `GET ${path}/recordings`,
    summary: 'Get all requests to the API, events, and attempts to deliver webhooks, oldest first',
    result: named(
      'Recordings',
      'What was received, what happened and what was sent.',
      z.object({ requests: z.array(object), events: z.array(object), deliveries: z.array(object) }),
    ),
    run: async ({ params }, { mock }) => {
      const { requests, events, deliveries } = requireTenant(mock, params.organizationId).getRecordings()
      return { requests: [...requests], events: [...events], deliveries: [...deliveries] }
    },
  }),
  operation({
    id: 'listDeliveryFaults',
    route: `GET ${path}/delivery-faults`,
    summary: 'List the faults that affect upcoming deliveries',
    result: list('PlannedDeliveryFault', PlannedDeliveryFault),
    run: async ({ params }, { mock }) => ({
      items: requireTenant(mock, params.organizationId).deliveryFaults.list().map(showFault),
    }),
  }),
  operation({
    id: 'addDeliveryFault',
    route: `POST ${path}/delivery-faults`,
    summary: 'Duplicate, drop, delay, reorder or tamper with the next deliveries of an event',
    body: DeliveryFault,
    result: PlannedDeliveryFault,
    status: 201,
    run: async ({ params, body }, { mock }) => {
      const { deliveryFaults } = requireTenant(mock, params.organizationId)
      const id = deliveryFaults.add(body)
      return showFault(
        requireFound(
          deliveryFaults.list().find((each) => each.id === id),
          'fault',
          id,
        ),
      )
    },
  }),
  operation({
    id: 'removeDeliveryFault',
    route: `DELETE ${path}/delivery-faults/:faultId`,
    summary: 'Remove a fault of deliveries',
    run: async ({ params: { organizationId, faultId } }, { mock }) =>
      requireTenant(mock, organizationId).deliveryFaults.remove(faultId),
  }),
  operation({
    id: 'clearDeliveryFaults',
    route: `DELETE ${path}/delivery-faults`,
    summary: 'Remove all faults of deliveries, and send what `reorder` holds back',
    run: async ({ params }, { mock }) => requireTenant(mock, params.organizationId).deliveryFaults.clear(),
  }),
  operation({
    id: 'listUnusedFaults',
    route: `GET ${path}/unused-faults`,
    summary: 'List the faults that have had no effect, at the end of a test',
    result: list(
      'UnusedFault',
      named('UnusedFault', 'The call that would add this fault in JavaScript.', z.string()),
    ),
    run: async ({ params }, { mock }) => ({
      items: [...requireTenant(mock, params.organizationId).listUnusedFaults()],
    }),
  }),
]
