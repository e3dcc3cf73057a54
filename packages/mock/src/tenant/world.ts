import {
  type Clock,
  callSubject,
  createIds,
  createReferenceServer,
  groupSubject,
  type Ids,
  memoryStore,
  type Random,
  type ReferenceServer,
} from '@wabakit/core'
import { parseEvent } from '@wabakit/webhooks'
import { type Api, createApi } from '../api/answer-request.ts'
import type { Account } from '../data/account.ts'
import { createCallData } from '../data/call-data.ts'
import { type Courier, createCourier } from '../delivery/courier.ts'
import { withOlderGroupPayloads } from '../delivery/older-payloads.ts'
import type { Targets } from '../delivery/targets.ts'
import type { ApiRules } from '../faults/api-rules.ts'
import type { DeliveryRules } from '../faults/delivery-rules.ts'
import { createRecorder, type Recorder } from '../recording/recorder.ts'
import type { ScenarioContext } from '../scenarios/scenario-context.ts'
import type { Timekeeper } from '../time/timekeeper.ts'
import type { TenantSettings } from './settings.ts'

/** What {@link createWorld} works with; it outlives a reset. */
export type WorldContext = {
  readonly seed: number
  readonly account: Account
  readonly settings: TenantSettings
  /** The URL to which the first subscription of each number sends. */
  readonly inboxUrl: string
  readonly targets: Targets
  readonly apiRules: ApiRules
  readonly deliveryRules: DeliveryRules
  /** Randomness of ids: never the same again, so that receivers do not take a new event for an old one. */
  readonly idRandom: Random
  readonly createTime: () => Timekeeper
}

/** Everything of a tenant that a reset makes anew. */
export type World = {
  readonly server: ReferenceServer
  readonly time: Timekeeper
  readonly ids: Ids
  readonly recorder: Recorder
  readonly scenarios: ScenarioContext
  readonly api: Api
  readonly courier: Courier
  /** Resolves when the organization and its first subscriptions are there. */
  ready(): Promise<void>
  /** Ends everything; resolves when nothing is underway any more. */
  stop(): Promise<void>
}

const machineClock: Clock = { now: () => Date.now() }

/** One worker that is never late: no lease ends, nothing waits for a free slot, and no pause is longer than it must be. */
const delivery = {
  signatureClock: machineClock,
  // The schedule is exact, so that a test can move the clock to an attempt.
  random: () => 0,
  leaseMs: 1e15,
  concurrency: 1e6,
  perSubscription: 1e6,
  sharesFairly: false,
} as const

const subjectOf = (payload: Record<string, unknown>): string =>
  'groupId' in payload ? groupSubject(String(payload.groupId)) : callSubject(String(payload.callId))

/** Makes a tenant's world: the reference server with a clock, faults and recordings of its own. */
export const createWorld = (context: WorldContext): World => {
  const { seed, account, settings, inboxUrl, targets, apiRules, deliveryRules } = context
  const { organizationId, wabaNumber, pstnNumber, apiKey, secret } = account
  const time = context.createTime()
  const recorder = createRecorder()
  const courier = createCourier({
    rules: deliveryRules,
    targets,
    time,
    record: recorder.addDelivery,
    sendAgain: (claimed) => server.deliveries.resend(organizationId, { deliveryId: claimed.delivery.id }),
  })
  const ids = createIds({ clock: time, random: context.idRandom })
  const memory = memoryStore()
  const store = settings.olderGroupPayloads ? withOlderGroupPayloads(memory) : memory
  const {
    integrationEnabled: enabled,
    joinApprovalMode,
    callSummaries,
    authHeader,
    rateLimit = false,
  } = settings
  const server = createReferenceServer({
    organizations: [
      {
        id: organizationId,
        integrations: [{ wabaNumber, enabled, joinApprovalMode }],
        pstnNumbers: [pstnNumber],
        apiKeys: [{ key: apiKey }],
        callSummaries,
      },
    ],
    store,
    clock: time,
    random: context.idRandom,
    ids,
    fetch: courier.fetch,
    delivery,
    auth: { header: authHeader },
    rateLimit,
    allowLoopbackHttp: true,
  })
  server.on('*', recorder.addEvent)
  server.dispatcher.onAttempt(courier.settled)
  time.start({ dispatcher: server.dispatcher, store })

  let calls = 0
  const scenarios: ScenarioContext = {
    account,
    server,
    time,
    isAutomatic: settings.callSummaries !== 'manual',
    nextCallData: () => createCallData(seed, account, calls++),
    publish: async (payload, channel) => {
      const fields: Record<string, unknown> = { ...payload }
      const parsed = parseEvent(payload)
      await server.events.publish(organizationId, {
        name: parsed.kind === 'event' ? parsed.event.event : (parsed.name ?? ''),
        subject: subjectOf(fields),
        channel,
        number: channel === 'PSTN' ? pstnNumber : wabaNumber,
        payload: JSON.stringify(payload),
      })
      if (parsed.kind === 'event') recorder.addEvent(parsed.event)
    },
  }

  const prepare = async (): Promise<void> => {
    await server.subscriptions.create(organizationId, {
      channel: 'WHATSAPP',
      number: wabaNumber,
      url: inboxUrl,
      secret,
    })
    await server.subscriptions.create(organizationId, {
      channel: 'PSTN',
      number: pstnNumber,
      url: inboxUrl,
      secret,
    })
  }
  let preparing: Promise<void> | undefined

  return {
    server,
    time,
    ids,
    recorder,
    scenarios,
    api: createApi({ server, rules: apiRules, now: time.now, record: recorder.addRequest }),
    courier,
    ready: () => {
      preparing ??= prepare()
      return preparing
    },
    stop: () => {
      courier.stop()
      return time.stop()
    },
  }
}
