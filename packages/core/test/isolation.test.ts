import { createReferenceServer, type ReferenceServer } from '@wabakit/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { start } from './suite/scenario.ts'

// Two organizations share a server. Each also has its own server, on which it does the same without the other. No
// matter what the two do, each must see exactly what it would see alone.

const tenants = ['left', 'right'] as const
type Tenant = (typeof tenants)[number]

const waba = '+15550100001'
const pstn = '+15550100002'
const settings = (id: string) => ({
  id,
  // The numbers are deliberately the same: only the organization distinguishes them.
  integrations: [{ wabaNumber: waba }, { wabaNumber: '+15550100009', enabled: false }],
  pstnNumbers: [pstn],
  apiKeys: [{ key: `wk_${id}_0123456789` }],
})

/**
 * The responses and events of an organization, and the webhooks of each of its subscriptions. Those of different
 * subscriptions have no order, so each has a separate log, under the name that its step gave it.
 */
type Log = { told: unknown[]; sent: Record<string, unknown[]> }
type Scenario = {
  server: ReferenceServer
  clock: { time: number }
  log: Record<Tenant, Log>
  names: Map<string, string>
}

const createScenario = async (members: readonly Tenant[]): Promise<Scenario> => {
  const clock = { time: start }
  const log: Scenario['log'] = { left: { told: [], sent: {} }, right: { told: [], sent: {} } }
  const names: Scenario['names'] = new Map()
  const isTenant = (id: string): id is Tenant => tenants.some((tenant) => tenant === id)
  const server = createReferenceServer({
    organizations: members.map(settings),
    clock: { now: () => clock.time },
    random: () => 0,
    rateLimit: { organization: { requests: 20, perMs: 60_000 }, key: { requests: 15, perMs: 60_000 } },
    fetch: async (_, init, { delivery }) => {
      // Only the body decides whether an attempt fails, so that failures are the same on both servers.
      const status = String(init.body).length % 3 === 0 ? 500 : 200
      if (isTenant(delivery.organizationId)) {
        const name = names.get(delivery.subscriptionId) ?? 'unknown'
        const { sent } = log[delivery.organizationId]
        sent[name] = [...(sent[name] ?? []), [clock.time, init.body, status]]
      }
      return new Response(null, { status })
    },
  })
  server.on('*', (event, { organizationId }) => {
    if (isTenant(organizationId)) log[organizationId].told.push(['event', clock.time, event])
  })
  await server.ready()
  return { server, clock, log, names }
}

const who = { groupId: fc.constantFrom('g1', 'g2'), callId: fc.constantFrom('c1', 'c2') }
const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), ...who, subject: fc.constantFrom('a', 'bb') }),
  fc.record({ do: fc.constantFrom('join' as const, 'leave' as const, 'remove' as const), ...who }),
  fc.record({
    do: fc.constantFrom('start' as const, 'accept' as const, 'end' as const, 'miss' as const),
    ...who,
  }),
  fc.record({ do: fc.constantFrom('save' as const, 'fetch' as const), ...who }),
  fc.record({ do: fc.constantFrom('subscribe' as const, 'disable' as const, 'enable' as const), ...who }),
  fc.record({ do: fc.constantFrom('resend' as const, 'list' as const), ...who }),
)
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never
type Move = Step & { readonly tenant: Tenant }

const move = fc.tuple(fc.constantFrom(...tenants), step).map(([tenant, each]): Move => ({ tenant, ...each }))
const wait = fc.integer({ min: 0, max: 400_000 }).map((waitMs) => ({ waitMs }))

const ask = async (
  { server }: Scenario,
  tenant: Tenant,
  path: string,
  init: RequestInit = {},
): Promise<unknown> => {
  const headers = { authorization: `wk_${tenant}_0123456789`, 'content-type': 'application/json' }
  const response = await server.fetch(new Request(`https://api.example.com${path}`, { ...init, headers }))
  const { ratelimit, 'x-request-id': _, ...kept } = Object.fromEntries(response.headers)
  return [response.status, ratelimit, Object.keys(kept), await response.text()]
}

const listSubscriptions = async ({ server }: Scenario, tenant: Tenant): Promise<string[]> =>
  (await server.subscriptions.list(tenant)).items.map(({ id }) => id)

const setEnabled = async (scenario: Scenario, tenant: Tenant, enabled: boolean): Promise<void> => {
  for (const id of await listSubscriptions(scenario, tenant)) {
    await scenario.server.subscriptions.update(tenant, id, { enabled })
  }
}

const perform = async (scenario: Scenario, { tenant, groupId, callId, ...rest }: Move): Promise<unknown> => {
  const { calls, participants, summaries, subscriptions, deliveries, events } = scenario.server
  switch (rest.do) {
    case 'create': {
      const body = JSON.stringify({
        wabaNumber: waba,
        subject: 'subject' in rest ? rest.subject : 'x',
        groupId,
      })
      return ask(scenario, tenant, '/whatsapp/wa-group/create', { method: 'POST', body })
    }
    case 'join':
    case 'leave':
    case 'remove':
      return (await participants[rest.do](tenant, { groupId, phone: '+4930901820' })).state
    case 'start': {
      const input = {
        channel: 'PSTN',
        direction: 'INCOMING',
        channelNumber: pstn,
        customerNumber: '+4930',
      } as const
      return (await calls.start(tenant, { ...input, callId })).state
    }
    case 'accept':
    case 'end':
    case 'miss':
      return (await calls[rest.do](tenant, callId)).state
    case 'save': {
      const summary = { recap: callId, keyPoints: [], nextSteps: [] }
      return (await summaries.save(tenant, callId, summary, { generatedBy: 'automatic' })).outcome
    }
    case 'fetch':
      return ask(scenario, tenant, `/v1/call/ai-summary?callId=${callId}`)
    case 'subscribe': {
      const numbers = [
        { channel: 'PSTN', number: pstn },
        { channel: 'WHATSAPP', number: waba },
      ] as const
      for (const each of numbers) {
        const { id } = await subscriptions.create(tenant, { ...each, url: 'https://receiver.example/' })
        scenario.names.set(id, `${each.channel} ${(await listSubscriptions(scenario, tenant)).length}`)
      }
      return 'subscribed'
    }
    case 'disable':
    case 'enable':
      return setEnabled(scenario, tenant, rest.do === 'enable')
    case 'resend':
      return deliveries.resend(tenant, { statuses: ['delivered', 'skipped'] })
    case 'list': {
      const listed = await events.list(tenant)
      return listed.items.map(({ payload }) => payload)
    }
  }
}

const play = async (scenario: Scenario, moves: ReadonlyArray<Move | { waitMs: number }>): Promise<void> => {
  for (const each of moves) {
    if ('waitMs' in each) {
      scenario.clock.time += each.waitMs
    } else {
      const outcome = await perform(scenario, each).catch((error: unknown) => String(error))
      scenario.log[each.tenant].told.push([each.do, outcome])
    }
    await scenario.server.dispatcher.runDue()
  }
}

const masked = (shown: unknown): string =>
  JSON.stringify(shown).replace(/https:\/\/invite\.example\/\w+|evt_\w+|sub_\w+/g, '')

/** Reads everything that an organization can see, without generated ids. */
const view = async ({ server }: Scenario, tenant: Tenant): Promise<unknown> => {
  const events = await server.events.list(tenant, { limit: 1_000 })
  const deliveries = await server.deliveries.list(tenant, { limit: 1_000 })
  const attempts = await Promise.all(deliveries.items.map(({ id }) => server.deliveries.attempts(tenant, id)))
  const anonymous = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (name, each: unknown) => (/^(?:id|.*Id)$/.test(name) ? undefined : each)),
    )
  return JSON.parse(masked(anonymous({ events: events.items, deliveries: deliveries.items, attempts })))
}

test('an organization sees the same records with other organizations as without', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 6, arbitrary: move }, wait), { maxLength: 60, size: 'max' }),
      async (moves) => {
        const together = await createScenario(tenants)
        await play(together, moves)
        for (const tenant of tenants) {
          const alone = await createScenario([tenant])
          await play(
            alone,
            moves.filter((each) => 'waitMs' in each || each.tenant === tenant),
          )
          expect(masked(together.log[tenant])).toBe(masked(alone.log[tenant]))
          expect(await view(together, tenant)).toEqual(await view(alone, tenant))
        }
      },
    ),
    { numRuns: 30 },
  )
})
