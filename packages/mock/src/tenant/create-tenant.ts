import { createClient } from '@wabakit/client'
import { eventNames } from '@wabakit/contract'
import type { ConnectionInfo } from '@wabakit/core'
import { inspectorPath } from '@wabakit/core/hosting'
import { createSeededRandom } from '@wabakit/core/simulation'
import { maskUrl } from '@wabakit/wire'
import { createAccount } from '../data/account.ts'
import { buildEvent } from '../data/build-event.ts'
import { getSecondsAfterStart } from '../data/event-templates.ts'
import { createTargets } from '../delivery/targets.ts'
import { blameCaller, MockUsageError } from '../errors.ts'
import { createFaults } from '../faults/faults.ts'
import { parseName } from '../input.ts'
import { simulateCall, simulateParticipant, simulateSummary } from '../simulation/simulate.ts'
import { parseDuration } from '../time/duration.ts'
import { toRequest } from '../to-request.ts'
import { touched } from '../trace/touched.ts'
import { createTraceFiles } from '../trace/trace-files.ts'
import { explainSummaries } from '../waiting/explain-summaries.ts'
import type { Upcoming } from '../waiting/timeout-message.ts'
import { createWaiters } from '../waiting/waiters.ts'
import { createWaits } from '../waiting/waits.ts'
import { subscribe } from './subscribe.ts'
import type { MockTenant } from './tenant.ts'
import { createTenantState, type StateOptions, type TenantState } from './tenant-state.ts'

type TenantOptions = StateOptions & {
  /** Index of the tenant, from 0. */
  readonly index: number
  readonly url: string
}

const defaultReceiverUrl = 'https://receiver.invalid/webhooks'

/** Lists the scheduled tasks and, if it is due later, the next delivery attempt, earliest first. */
const listUpcoming = async ({ timers, server }: TenantState): Promise<Upcoming[]> => {
  const now = timers.now()
  const tasks = timers.listTasks().map(({ at, description }) => ({ description, inMs: at - now }))
  const inMs = ((await server.dispatcher.nextDueAt()) ?? 0) - now
  const upcoming = inMs > 0 ? [...tasks, { description: 'the next delivery attempt', inMs }] : tasks
  return upcoming.toSorted((one, other) => one.inMs - other.inMs)
}

export const createTenant = (options: TenantOptions) => {
  const { seed, live, measured, index, settings, url, isListening } = options
  if (live !== undefined && settings.authHeader !== undefined) {
    throw new MockUsageError(
      'authHeader: in the profile "live" or a measured one, the path determines the header of the key.',
    )
  }
  if (live === undefined && settings.live !== undefined) {
    throw new MockUsageError('live: these settings need { profile: "live" } or a measured profile.')
  }
  const account = createAccount(seed, index)
  const { organizationId } = account
  const targets = createTargets()
  const waiters = createWaiters()
  const createChance = () => createSeededRandom(seed, organizationId, 'faults')
  let chance = createChance()
  const faults = createFaults(() => chance())
  const idRandom = createSeededRandom(seed, organizationId, 'ids')
  const clientRandom = createSeededRandom(seed, organizationId, 'clients')
  const createState = () =>
    createTenantState({
      ...options,
      account,
      targets,
      faults,
      idRandom,
      isRemote: () => isRemote,
      onChange: () => {
        touched.tenants?.add(files)
        waiters.check()
      },
    })
  let isRemote = false
  let state = createState()
  let receivers = 0
  let isClosed = false

  const files = createTraceFiles({
    getRecorder: () => state.recorder,
    createTrace: async () => {
      const { createTrace } = await import('./create-trace.ts')
      const [upcoming, collectorUrl] = [await listUpcoming(state), targets.findCollectorUrl()]
      const { requests } = options
      return createTrace({ account, settings, state, requests, faults, waiters, upcoming, collectorUrl })
    },
  })
  /** Records what the test asked for: a call of a function, with its arguments, or a request. */
  const logStep = (step: string, args?: readonly unknown[]): void => {
    touched.tenants?.add(files)
    state.recorder.addStep(step, args)
  }

  const assertOpen = (caller: string): void => {
    if (isClosed) {
      throw new MockUsageError(`${caller}: this mock is closed. Close it after the last test that needs it.`)
    }
  }

  /** Resolves to the state at the time of the call, once it is ready. */
  const open = async (caller: string): Promise<TenantState> => {
    assertOpen(caller)
    const present = state
    await present.ready()
    return present
  }

  const respond = async (request: Request, connection?: ConnectionInfo): Promise<Response> =>
    (await open('fetch')).api(request, connection)

  const fetch: MockTenant['fetch'] = async (input, init) => respond(toRequest(input, init))

  const clock: MockTenant['clock'] = {
    now: () => state.timers.now(),
    advance: (duration) =>
      blameCaller(async () => {
        const ms = parseDuration(duration)
        logStep('clock.advance', [duration])
        return (await open('clock.advance')).timers.advance(ms)
      }),
    sleep: (ms, signal) => state.timers.sleep(ms, signal),
  }

  const trigger = async (event: string | object, overrides: object = {}): Promise<void> => {
    const { simulation, ids, timers, trigger: publish } = await open('trigger')
    logStep('trigger', [event, overrides])
    const build = (input: string): object => {
      const name = parseName('trigger', eventNames, input)
      const data = simulation.createCallData()
      const { durationInSeconds = data.durationInSeconds }: { durationInSeconds?: unknown } = overrides
      const secondsAgo = getSecondsAfterStart(name, Number(durationInSeconds) || 0)
      const sources = { account, data, ids, start: timers.now() - secondsAgo * 1_000 }
      return buildEvent('trigger', { sources, name, overrides: { ...overrides } })
    }
    if (typeof event === 'string') await publish(build(event), { hasCustomPayload: false })
    else await publish(event, { hasCustomPayload: true })
  }

  const handles: MockTenant = {
    ...account,
    ...createWaits({
      waiters,
      assertOpen,
      getRecorder: () => state.recorder,
      describeSituation: async () => ({
        ...state.recorder,
        seed,
        unreceived: await state.listUnreceived(),
        isRemote,
        pending: state.transport.listPending().map(({ event }) => event.name),
        upcoming: await listUpcoming(state),
        summaries: await explainSummaries(state.simulation, state.timers.now),
        pageUrl: isListening ? `${url}${inspectorPath}/?organization=${organizationId}` : undefined,
      }),
      saveFailure: files.saveFailedWait,
    }),
    saveTrace: files.save,
    url,
    seed,
    profile: live === undefined ? 'reference' : measured === undefined ? 'live' : 'measured',
    clock,
    fetch,
    trigger: (event: string | object, overrides?: object) => blameCaller(() => trigger(event, overrides)),
    get server() {
      return state.server
    },
    faults: {
      ...faults.handle,
      clear: () => {
        faults.clear()
        state.transport.release()
      },
    },
    get requests() {
      return state.recorder.requests
    },
    get events() {
      return state.recorder.events
    },
    get deliveries() {
      return state.recorder.deliveries
    },
    client: (options = {}) => {
      const { authHeader: header } = settings
      return createClient({
        ...options,
        baseUrl: options.baseUrl ?? url,
        apiKey: options.apiKey ?? account.apiKey,
        clock: options.clock ?? clock,
        random: options.random ?? clientRandom,
        auth: options.auth ?? (header === undefined ? undefined : { header }),
        fetch: options.fetch ?? (isListening ? undefined : fetch),
      })
    },
    deliverTo: (target, options = {}) => targets.deliverTo(target, options.url ?? defaultReceiverUrl),
    subscribe: (request) =>
      blameCaller(async () => {
        const { server } = await open('subscribe')
        const { channel, number, events, url: to } = request
        logStep('subscribe', [{ channel, number, events, url: to && maskUrl(to) }])
        const createUrl = () => `https://receiver-${++receivers}.invalid/webhooks`
        return subscribe({ account, server, targets, createUrl }, request)
      }),
    simulateCall: (call) =>
      blameCaller(async () => {
        const { simulation } = await open('simulateCall')
        logStep('simulateCall', [call])
        return simulateCall(simulation, call)
      }),
    simulateSummary: (callId, summary) =>
      blameCaller(async () => {
        const { simulation } = await open('simulateSummary')
        logStep('simulateSummary', [callId, summary])
        return simulateSummary(simulation, callId, summary)
      }),
    simulateParticipant: (action, participant) =>
      blameCaller(async () => {
        const { simulation } = await open('simulateParticipant')
        logStep('simulateParticipant', [action, participant])
        return simulateParticipant(simulation, action, participant)
      }),
    reset: () => {
      assertOpen('reset')
      state.stop().catch(console.error)
      options.requests.forgetOrganization(organizationId)
      waiters.rejectAll('the mock was reset while waiting. Await every wait before you reset.')
      faults.clear()
      chance = createChance()
      targets.allowReplacement()
      state = createState()
    },
  }

  return {
    handles,
    respond,
    /** Returns whether one of the hashes is that of a key. */
    hasKey: async (hashes: readonly string[]): Promise<boolean> => {
      const callers = await Promise.all(hashes.map(state.rows.findCaller))
      return callers.some((caller) => caller !== undefined)
    },
    /** The source of live streams of this tenant. A reset replaces it. */
    openStreamed: async () => (await open('stream')).streamed,
    /** Resolves to the simulator of calls, once the first subscriptions exist. A reset replaces it. */
    openSimulator: async () => (await open('control')).simulation.calls,
    findCollectorUrl: targets.findCollectorUrl,
    findWire: (deliveryId: string, number: number) => state.findWire(deliveryId, number),
    apiFaults: faults.api,
    logStep,
    listLog: () => state.recorder.log,
    /** Set if the clock moves only on request. */
    isVirtual: state.timers.isVirtual,
    listUpcoming: () => listUpcoming(state),
    listWaits: waiters.list,
    /** Call it when a test waits or adds a delivery fault through the control API. */
    onRemoteTest: (): void => {
      isRemote = true
    },
    describeUnusedFaults: faults.describeUnused,
    /** Delivery faults by their ids, for the control API. */
    deliveryFaults: {
      ...faults.byId,
      clear: () => {
        faults.byId.clear()
        state.transport.release()
      },
    },
    close: async (): Promise<void> => {
      isClosed = true
      waiters.rejectAll('the mock was closed while waiting.')
      const unused = faults.explainUnused()
      if (unused !== undefined) console.warn(`wabakit mock: ${unused}`)
      await state.stop()
    },
  }
}

export type Tenant = ReturnType<typeof createTenant>
