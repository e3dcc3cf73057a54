import { createClient } from '@wabakit/client'
import { eventNames } from '@wabakit/contract'
import type { ConnectionInfo } from '@wabakit/core'
import { type Account, createAccount } from '../data/account.ts'
import { buildEvent } from '../data/build-event.ts'
import { createSeededRandom } from '../data/seeded-random.ts'
import { createTargets } from '../delivery/targets.ts'
import { MockUsageError } from '../errors/mock-usage-error.ts'
import { createApiRules } from '../faults/api-rules.ts'
import { createDeliveryRules } from '../faults/delivery-rules.ts'
import { parseName } from '../input.ts'
import { simulateCall } from '../scenarios/simulate-call.ts'
import { simulateParticipant } from '../scenarios/simulate-participant.ts'
import { simulateSummary } from '../scenarios/simulate-summary.ts'
import { parseDuration } from '../time/duration.ts'
import type { Timekeeper } from '../time/timekeeper.ts'
import type { Upcoming } from '../waiting/report.ts'
import { createWaitingRoom } from '../waiting/waiting-room.ts'
import { createWaits } from '../waiting/waits.ts'
import { createInbox } from './inbox.ts'
import type { TenantSettings } from './settings.ts'
import { subscribe } from './subscribe.ts'
import type { MockTenant } from './tenant.ts'
import { createWorld, type World } from './world.ts'

/** What {@link createTenant} works with. */
export type TenantContext = {
  readonly seed: number
  /** Which tenant it is, from 0. */
  readonly number: number
  readonly settings: TenantSettings
  readonly url: string
  /** Whether clients reach it over HTTP. */
  readonly isListening: boolean
  readonly createTime: () => Timekeeper
}

/** A tenant, and what the mock around it needs. */
export type Tenant = {
  readonly handles: MockTenant
  answer(request: Request, connection?: ConnectionInfo): Promise<Response>
  close(): Promise<void>
}

const inboxUrl = 'https://inbox.invalid/'
const receiverUrl = 'https://receiver.invalid/webhooks'

const upcomingOf = async ({ time, server }: World): Promise<Upcoming[]> => {
  const now = time.now()
  const appointments = time.upcoming().map(({ at, what }) => ({ what, inMs: at - now }))
  const dueAt = await server.dispatcher.nextDueAt()
  const attempt = dueAt !== undefined && dueAt > now && dueAt - now < 1e12
  return [
    ...appointments,
    ...(attempt ? [{ what: 'the next attempt of a delivery', inMs: dueAt - now }] : []),
  ]
}

/** Makes a tenant. */
export const createTenant = (context: TenantContext): Tenant => {
  const { seed, number, settings, url, isListening, createTime } = context
  const account: Account = createAccount(seed, number)
  const targets = createTargets()
  const inbox = createInbox(targets, inboxUrl)
  const room = createWaitingRoom()
  const idRandom = createSeededRandom(seed, account.organizationId, 'ids')
  const clientRandom = createSeededRandom(seed, account.organizationId, 'clients')
  const newChance = () => createSeededRandom(seed, account.organizationId, 'faults')
  let chance = newChance()
  const apiRules = createApiRules(() => chance())
  const deliveryRules = createDeliveryRules(() => chance())
  let subscriptions = 0
  let isClosed = false

  const enterWorld = (): World => {
    const entered = createWorld({
      seed,
      account,
      settings,
      inboxUrl,
      targets,
      apiRules,
      deliveryRules,
      idRandom,
      createTime,
    })
    entered.recorder.onChange(room.look)
    return entered
  }
  let world = enterWorld()

  /** The present world, when it is ready. */
  const open = async (what: string): Promise<World> => {
    if (isClosed) {
      throw new MockUsageError(`${what}: this mock is closed. Close it after the last test that needs it.`)
    }
    const present = world
    await present.ready()
    return present
  }

  const answer: Tenant['answer'] = async (request, connection) =>
    (await open('fetch')).api(request, connection)

  const clock: MockTenant['clock'] = {
    now: () => world.time.now(),
    advance: async (duration) => {
      const ms = parseDuration(duration)
      return (await open('clock.advance')).time.advance(ms)
    },
    sleep: (ms, signal) => world.time.sleep(ms, signal),
  }

  const fetch: MockTenant['fetch'] = async (input, init) =>
    answer(input instanceof Request && init === undefined ? input : new Request(input, init))

  const trigger = async (event: string | object, overrides: object = {}): Promise<void> => {
    const { scenarios, ids, time } = await open('trigger')
    const build = (given: string): object => {
      const name = parseName('trigger', eventNames, given)
      const sources = { account, data: scenarios.nextCallData(), ids, start: time.now() }
      return buildEvent('trigger', { sources, name, overrides: { ...overrides } })
    }
    const payload = typeof event === 'string' ? build(event) : event
    const isPstn = 'channel' in payload && payload.channel === 'PSTN'
    await scenarios.publish(payload, isPstn ? 'PSTN' : 'WHATSAPP')
  }

  const waits = createWaits({
    room,
    events: () => world.recorder.events,
    deliveries: () => world.recorder.deliveries,
    countsCollected: () => subscriptions === 0,
    observe: async () => ({
      seed,
      events: world.recorder.events,
      deliveries: world.recorder.deliveries,
      underway: world.courier.underway().map(({ event }) => event.name),
      upcoming: await upcomingOf(world),
    }),
  })

  const handles: MockTenant = {
    ...account,
    ...waits,
    url,
    seed,
    clock,
    fetch,
    trigger,
    get server() {
      return world.server
    },
    faults: {
      ...apiRules.faults,
      deliveries: deliveryRules.faults,
      clear: () => {
        apiRules.clear()
        deliveryRules.clear()
        world.courier.release()
      },
    },
    get requests() {
      return world.recorder.requests
    },
    get events() {
      return world.recorder.events
    },
    get deliveries() {
      return world.recorder.deliveries
    },
    client: (options) => {
      const { authHeader: header } = settings
      const own = {
        baseUrl: url,
        apiKey: account.apiKey,
        clock,
        random: clientRandom,
        ...(header !== undefined && { auth: { header } }),
      }
      return createClient({ ...own, ...(!isListening && { fetch }), ...options })
    },
    deliverTo: (target, options = {}) => inbox.deliverTo(target, options.url ?? receiverUrl),
    subscribe: async (request) => {
      const present = await open('subscribe')
      const newUrl = () => `https://receiver-${subscriptions + 1}.invalid/webhooks`
      const subscription = await subscribe({ account, world: present, targets, newUrl }, request)
      subscriptions++
      return subscription
    },
    simulateCall: async (call) => simulateCall((await open('simulateCall')).scenarios, call),
    simulateSummary: async (callId, summary) =>
      simulateSummary((await open('simulateSummary')).scenarios, callId, summary),
    simulateParticipant: async (action, participant) =>
      simulateParticipant((await open('simulateParticipant')).scenarios, action, participant),
    reset: () => {
      if (isClosed) throw new MockUsageError('reset: this mock is closed. Make a new one.')
      world.stop().catch(console.error)
      room.dismiss('the mock was reset meanwhile. Await what a test waits for before it resets.')
      apiRules.clear()
      deliveryRules.clear()
      chance = newChance()
      inbox.loosen()
      subscriptions = 0
      world = enterWorld()
    },
  }

  return {
    handles,
    answer,
    close: async () => {
      isClosed = true
      room.close()
      await world.stop()
    },
  }
}
