import type { Store } from '@wabakit/core'
import { type Child, startChild } from '../commands.ts'
import type { Engine } from './backlog.ts'

/** The size of a scenario and its endpoints in addition to the 20 healthy ones. */
export type ScenarioOptions = {
  /**
   * Number of endpoints that get events from `flood`.
   * @default 0
   */
  readonly suspects?: number
  /** Behavior of the suspects. `hang`: never respond. `slow`: respond with 200 after 14 seconds. */
  readonly kind?: 'hang' | 'slow'
  /** The suspects' organizations: one for all of them, one for each, or that of the healthy endpoints. */
  readonly owner?: 'one' | 'each' | 'healthy'
  /**
   * Number of deliveries to another, dead endpoint that are already due when the scenario starts.
   * @default 0
   */
  readonly pending?: number
  /** Behavior of the dead endpoint: never respond, or refuse connections. */
  readonly dead?: 'hang' | 'refuse'
  /** @default 1 */
  readonly workers?: number
}

/** A server, its workers and the healthy endpoints, in separate processes. */
export type Scenario = {
  readonly server: Child
  readonly endpoints: Child
  close(): void
}

/** URL of a port without a listener. */
const refusingUrl = 'http://127.0.0.1:9/'

const healthyEndpoints = 20
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const addOrganization = async (store: Store, id: string, urls: readonly string[]): Promise<string[]> => {
  const numbers = urls.map((_, index) => `+${15_550_000_000 + index}`)
  const integrations = numbers.map((number) => ({
    number,
    digits: number.slice(1),
    enabled: true,
    joinApprovalMode: 'auto_approve' as const,
  }))
  const at = { createdAt: Date.now() }
  await store.saveOrganization({
    ...{ id, revision: 1, callSummaries: 'manual', integrations, pstnNumbers: [], ...at },
  })
  for (const [index, url] of urls.entries()) {
    const number = numbers[index] ?? ''
    await store.saveSubscription({
      ...{ id: `sub_${index}`, organizationId: id, revision: 1, channel: 'WHATSAPP', number, url, secret },
      ...{
        digits: number.slice(1),
        events: 'all',
        previousSecret: null,
        headers: {},
        maxAttemptsPerSecond: null,
      },
      ...{ disabledReason: null, failingSince: null, isReported: false, updatedAt: at.createdAt, ...at },
    })
  }
  return numbers
}

const startEndpoints = async (number: number, behavior: 'respond' | 'hang' | 'slow') => {
  const file = import.meta.resolve('./endpoints-process.ts')
  const child = await startChild({ file, arguments: [String(number), behavior] })
  const urls: string[] = JSON.parse(child.readyMessage)
  return { child, urls }
}

/** Fills a store with organizations and subscriptions, and starts a server and its workers on it. */
export const openScenario = async (engine: Engine, options: ScenarioOptions): Promise<Scenario> => {
  const { suspects = 0, kind = 'hang', owner = 'one', pending = 0, dead = 'hang', workers = 1 } = options
  const healthy = await startEndpoints(healthyEndpoints, 'respond')
  const others = await startEndpoints(suspects + 1, kind)
  const { store, database } = await engine.fill({
    ...{ deliveries: pending, subscriptions: 1, subject: `'group:' || n`, subscription: '1', dueAt: 'n' },
    status: `'pending'`,
  })
  const [hangingUrl = '', ...ofSuspects] = others.urls
  for (const subscription of (await store.listSubscriptions('acme', { limit: 1 })).items)
    await store.saveSubscription({
      ...subscription,
      revision: 2,
      url: dead === 'hang' ? hangingUrl : refusingUrl,
      secret,
    })
  const add = async (id: string, urls: readonly string[]) =>
    (await addOrganization(store, id, urls)).map((number) => [id, number] as const)
  const targets = {
    suspect: [] as (readonly [string, string])[],
    healthy: [] as (readonly [string, string])[],
  }
  if (owner === 'healthy') {
    const all = await add('both', [...healthy.urls, ...ofSuspects])
    targets.healthy = all.slice(0, healthyEndpoints)
    targets.suspect = all.slice(healthyEndpoints)
  } else {
    targets.healthy = await add('healthy', healthy.urls)
    if (owner === 'one') targets.suspect = await add('suspect', ofSuspects)
    else
      for (const [index, url] of ofSuspects.entries())
        targets.suspect.push(...(await add(`org_${index}`, [url])))
  }
  await store.close()
  const start = (role: string) =>
    startChild({
      file: import.meta.resolve('./server-process.ts'),
      arguments: [database, role, JSON.stringify(targets)],
    })
  const server = await start('all')
  const otherWorkers = await Promise.all(Array.from({ length: workers - 1 }, () => start('worker')))
  return {
    server,
    endpoints: healthy.child,
    close: () => {
      for (const child of [server, ...otherWorkers, healthy.child, others.child]) child.close()
    },
  }
}
