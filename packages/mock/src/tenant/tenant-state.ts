import type { WebhookEvent } from '@wabakit/contract'
import type { MeasuredProfile } from '@wabakit/contract/profile'
import {
  type AttemptReported,
  createIds,
  createReferenceServer,
  memoryStore,
  type Random,
  type ReferenceServer,
} from '@wabakit/core'
import type { WireAttempt } from '@wabakit/core/control'
import type { RequestLog } from '@wabakit/core/hosting'
import {
  createCallData,
  createCallSimulator,
  createSeededRandom,
  endRetries,
  toCallSubject,
  toGroupSubject,
} from '@wabakit/core/simulation'
import { parseEvent } from '@wabakit/webhooks'
import { writeJson } from '@wabakit/wire'
import { createApi } from '../api/create-api.ts'
import type { Account } from '../data/account.ts'
import { collectUntil, hasOtherReceiver, watchSubscriptions } from '../delivery/collector.ts'
import { createPreparation } from '../delivery/preparation.ts'
import type { Targets } from '../delivery/targets.ts'
import { createTransport } from '../delivery/transport.ts'
import type { TenantFaults } from '../faults/faults.ts'
import type { Live } from '../measured/measured-api.ts'
import type { TenantSettings } from '../mock-options.ts'
import { createRecorder } from '../recording.ts'
import type { SimulationContext } from '../simulation/simulate.ts'
import type { TaskTimers } from '../time/task-timers.ts'

/** The options of a tenant that determine its state. */
export type StateOptions = {
  readonly seed: number
  /** The imitation of a live service; `undefined` for the reference server. */
  readonly live: typeof import('@wabakit/core/live') | undefined
  /** What was measured of that service; `undefined` in the profiles `reference` and `live`. */
  readonly measured:
    | {
        readonly imitate: typeof import('../measured/imitate.ts').imitate
        readonly profile: MeasuredProfile
      }
    | undefined
  readonly settings: TenantSettings
  readonly createTimers: () => TaskTimers
  /** Set if the mock listens on a port. Only then does it count figures. */
  readonly isListening: boolean
  /** The requests to the public API of all tenants. */
  readonly requests: RequestLog
}

/** The parts of a tenant that survive a reset. */
type LastingParts = StateOptions & {
  readonly account: Account
  readonly targets: Targets
  readonly faults: TenantFaults
  /**
   * Source of randomness for ids. A reset does not restart it, so that ids never repeat and receivers do not
   * mistake new events for duplicates.
   */
  readonly idRandom: Random
  /**
   * Returns whether a test has waited or added a delivery fault through the control API. Such a test usually runs in another
   * process, and has its receiver there.
   */
  readonly isRemote: () => boolean
  /** Called after each recorded request, event or delivery. */
  readonly onChange: () => void
}

const delivery = {
  signatureClock: { now: () => Date.now() },
  // Removes the jitter, so that a test can advance the clock to the exact time of an attempt.
  random: () => 0,
  // The mock has one worker, which never runs out of slots.
  concurrency: 1e6,
  perSubscription: 1e6,
  sharesFairly: false,
} as const

/** Shortens an id for a subject: a triggered event may have an id of any length, but subjects are limited. */
const shorten = (id: unknown): string => [...String(id)].slice(0, 255).join('')

/** Creates the parts of a tenant that a reset replaces. */
export const createTenantState = (options: LastingParts) => {
  const { seed, live, account, settings, targets, faults, idRandom, isRemote, isListening, requests } =
    options
  const { webhookUrl, live: liveSettings = {} } = settings
  const { registrations = 1 } = liveSettings
  const { organizationId, wabaNumber, pstnNumber, apiKey, secret } = account
  const imitation =
    live &&
    options.measured?.imitate({
      ...options.measured,
      seed,
      organizationId,
      apiKey,
      settings: liveSettings,
      live,
    })
  const timers = options.createTimers()
  /** What was sent for each attempt of a delivery that the server counts, in the order of the attempts. */
  const wires = new Map<string, WireAttempt[]>()
  const recorder = createRecorder({ now: timers.now, onChange: options.onChange })
  /** The calls without a recording. */
  const unrecorded = new Set<string>()
  /** Records an event in the form in which it is delivered, if receivers know that form. */
  const recordEvent = (event: WebhookEvent): void => {
    const isUnrecorded = event.event === 'CALL_ENDED' && unrecorded.has(event.callId)
    const published = isUnrecorded ? { ...event, recordingUrl: '' } : event
    const payload = JSON.stringify(published)
    const sent = imitation?.toPayload(payload) ?? live?.toLivePayload(payload, liveSettings)
    const parsed = sent && parseEvent(sent)
    recorder.addEvent(parsed && parsed.kind === 'event' ? parsed.event : event)
  }
  const transport = createTransport({
    faults: {
      ...faults.deliveries,
      delay: {
        ...faults.deliveries.delay,
        take: (attempted) => faults.deliveries.delay.take(attempted) ?? imitation?.findDelay(attempted),
      },
    },
    targets,
    timers,
    ...createPreparation({ settings, live, imitation }),
    record: (delivery) =>
      recorder.addDelivery(delivery.to === 'collector' ? collectUntil(isUnderTest, delivery) : delivery),
    logWire: (deliveryId, wire) => {
      const known = wires.get(deliveryId)
      if (known === undefined) wires.set(deliveryId, [wire])
      else known.push(wire)
    },
    isSpared: ({ subscription, event }) =>
      targets.find(subscription.url).name === 'collector' &&
      (isRemote() ||
        (faults.hasDeliveryFaults() && hasOtherReceiver(server.subscriptions, { subscription, event }))),
    resend: (attempted) => server.deliveries.resend(organizationId, { deliveryId: attempted.delivery.id }),
  })
  const ids = createIds({ clock: timers, random: idRandom })
  const rows = memoryStore()
  const limited = live?.limitRetries(rows, liveSettings)
  const liveRows =
    limited &&
    live?.markUnrecorded(imitation?.limitRetries(rows, limited) ?? limited, (callId) =>
      unrecorded.add(callId),
    )
  const store = endRetries(liveRows ?? rows, transport.isLastAttempt)
  const limitFetches = live?.createFetchLimit(timers.now)
  const { integrationEnabled: enabled, joinApprovalMode, callSummaries } = settings
  const reference = createReferenceServer({
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
    clock: timers,
    random: idRandom,
    ids,
    fetch: transport.fetch,
    delivery,
    auth: { header: settings.authHeader },
    rateLimit: settings.rateLimit ?? false,
    allowLoopbackHttp: true,
  })
  const { server, isSubscribed } = watchSubscriptions(reference)
  const isUnderTest = () => isSubscribed() || isRemote()
  server.on('*', recordEvent)
  const attemptListeners = new Set<(report: AttemptReported) => void>()
  server.dispatcher.onAttempt((report) => {
    if (!transport.onSettled(report)) return
    for (const listener of attemptListeners) listener(report)
    if (report.result.kind !== 'delivered') return
    const { delivery, event } = report.attempted
    const repeatMs = imitation?.findRepeatAfterSuccess(report.attempted)
    if (repeatMs === undefined) return
    timers.schedule({
      at: timers.now() + repeatMs,
      description: `the repeated ${event.name}`,
      run: () => server.deliveries.resend(organizationId, { deliveryId: delivery.id }),
    })
  })
  server.onRequest(requests.add)
  const { figures } = server
  // Only the control API shows figures, which is mostly used on a port.
  if (isListening) figures.start()
  timers.start({
    dispatcher: server.dispatcher,
    store,
    onLeave: () => void figures.write().catch(console.error),
  })

  /** Publishes the payload of an event that a test triggers, whether it named the event or provided the payload. */
  const trigger = async (
    payload: object,
    { hasCustomPayload }: { readonly hasCustomPayload: boolean },
  ): Promise<void> => {
    const { groupId, callId, channel }: { groupId?: unknown; callId?: unknown; channel?: unknown } = payload
    const parsed = parseEvent(payload)
    // The subject of a group event whose `groupId` is null gets a new id. Otherwise, all such events would share a lane, and
    // wait for one another.
    const group = groupId ?? ids('evt')
    const event = {
      name: parsed.kind === 'event' ? parsed.event.event : (parsed.name ?? ''),
      subject: groupId === undefined ? toCallSubject(shorten(callId)) : toGroupSubject(shorten(group)),
      ...(channel === 'PSTN'
        ? ({ channel, number: pstnNumber } as const)
        : ({ channel: 'WHATSAPP', number: wabaNumber } as const)),
      payload: writeJson(payload),
    }
    await server.events.publish(organizationId, event, { hasCustomPayload })
    if (parsed.kind === 'event') (hasCustomPayload ? recorder.addEvent : recordEvent)(parsed.event)
  }

  const subscribeBoth = async (url: string, { subscriptions }: ReferenceServer): Promise<void> => {
    const common = { url, secret }
    for (let left = registrations; left > 0; left--) {
      await subscriptions.create(organizationId, { channel: 'WHATSAPP', number: wabaNumber, ...common })
      await subscriptions.create(organizationId, { channel: 'PSTN', number: pstnNumber, ...common })
    }
  }
  const subscribeAll = async (): Promise<void> => {
    await subscribeBoth(targets.defaultUrl, reference)
    if (webhookUrl !== undefined) await subscribeBoth(webhookUrl, server)
  }
  let subscribed: Promise<void> | undefined
  let calls = 0
  const ending = new AbortController()
  const generateCallData = (organizationId = account.organizationId) =>
    createCallData(createSeededRandom(seed, organizationId, 'call', calls++), [wabaNumber, pstnNumber])
  const simulation: SimulationContext = {
    account,
    server,
    calls: createCallSimulator({
      server,
      now: timers.now,
      observedEvents: live !== undefined,
      allowsObserved: true,
      onObserved: (event) => {
        const parsed = parseEvent(event)
        if (parsed.kind === 'event') recordEvent(parsed.event)
      },
      createCallData: generateCallData,
      schedule: ({ delayMs, ...task }) => {
        timers.schedule({ ...task, at: timers.now() + delayMs })
        // The timers stop with this state.
        return () => {}
      },
    }),
    createCallData: generateCallData,
  }

  return {
    server,
    timers,
    ids,
    recorder,
    simulation,
    trigger,
    api: createApi({
      server,
      faults: faults.api,
      respondLive:
        live &&
        limitFetches &&
        ((request, respond) => {
          const respondLive: Live['respond'] = (received, readCall) =>
            live.respondLive(received, {
              respond,
              findCall: async (callId) => readCall((await server.calls.find(organizationId, callId))?.call),
              limitFetches,
              pstnCalling: liveSettings.pstnCalling,
            })
          return imitation?.respond(request, { respond: respondLive }) ?? respondLive(request, (call) => call)
        }),
      createRequestId: () => ids('req'),
      now: timers.now,
      record: recorder.addRequest,
      correct: requests.correct,
    }),
    transport,
    /** The store of records, without what a profile or a fault adds to it. */
    rows,
    wires,
    findWire: (deliveryId: string, number: number) => wires.get(deliveryId)?.[number - 1],
    /** Lists the ids of unacknowledged deliveries to the collector whose event no other subscription gets. */
    listUnreceived: async (): Promise<string[]> => {
      const unreceived: string[] = []
      for (const { id, to, status, acknowledged } of recorder.deliveries) {
        if (to !== 'collector' || status === undefined || acknowledged) continue
        const limit = registrations + 1
        const { items } = await server.deliveries.list(organizationId, { eventId: id, limit })
        if (items.length === registrations) unreceived.push(id)
      }
      return unreceived
    },
    /** The source of a live stream, until the signal ends it. */
    streamed: {
      service: {
        events: server.events,
        on: server.on,
        dispatcher: {
          /**
           * Reports the same attempts as the server, except released ones, and deliveries that a fault holds back: the
           * server already counts these as delivered.
           */
          onAttempt: (listener: (report: AttemptReported) => void): (() => void) => {
            attemptListeners.add(listener)
            return () => attemptListeners.delete(listener)
          },
        },
      },
      store,
      signal: ending.signal,
    },
    /** Resolves when the organization and its first subscriptions exist. */
    ready: (): Promise<void> => {
      subscribed ??= subscribeAll()
      return subscribed
    },
    stop: (): Promise<void> => {
      ending.abort()
      transport.stop()
      return Promise.all([timers.stop(), figures.stop()]).then(() => {})
    },
  }
}

export type TenantState = ReturnType<typeof createTenantState>
