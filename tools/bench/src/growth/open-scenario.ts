import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@wabakit/core'
import { buildOrganization, buildSubscription } from '../../../../packages/core/test/store-cases/records.ts'
import { type Child, startChild } from '../commands.ts'
import type { GrowthEngine } from './backlog.ts'

/** The workers of a scenario, and its endpoints in addition to the 20 healthy ones. */
export type ScenarioOptions = {
  /** Number of endpoints that get events from `flood`. @default 0 */
  readonly suspects?: number
  /** The behavior of the suspects: they never respond, or they respond after 14 seconds. */
  readonly kind?: 'hang' | 'slow'
  /** The organizations of the suspects: one for all, one for each, or the same as for the healthy endpoints. */
  readonly owner?: 'one' | 'each' | 'healthy'
  /** Number of deliveries to an additional, dead endpoint that are due when the scenario starts. @default 0 */
  readonly pending?: number
  /** The behavior of the dead endpoint: it never responds, or it refuses connections. */
  readonly dead?: 'hang' | 'refuse'
  /** @default 1 */
  readonly workers?: number
  /** The host names of the endpoints. @default 127.0.0.1 */
  readonly hosts?: { healthy(index: number): string; suspect(index: number): string }
}

export type Scenario = Awaited<ReturnType<typeof openScenario>>

/** The URL of a port on which no server listens. */
const refusingUrl = 'http://127.0.0.1:9/'

const healthyEndpoints = 20
const longestMs = 20_000
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

type Target = readonly [organizationId: string, number: string]

/** Adds an organization with a subscription for each URL. Returns the phone numbers of the subscriptions. */
const addOrganization = async (store: Store, id: string, urls: readonly string[]): Promise<Target[]> => {
  const subscriptions = urls.map((url, index) => {
    const digits = String(15_550_000_000 + index)
    const numbers = { number: `+${digits}`, digits }
    return buildSubscription({ id: `sub_${index}`, organizationId: id, url, secret, ...numbers })
  })
  const integrations = subscriptions.map(({ number, digits }) => ({
    number,
    digits,
    enabled: true,
    joinApprovalMode: 'auto_approve' as const,
  }))
  await store.saveOrganization(buildOrganization({ id, integrations, pstnNumbers: [] }))
  for (const subscription of subscriptions) await store.saveSubscription(subscription)
  return subscriptions.map(({ number }) => [id, number])
}

const startEndpoints = async (number: number, behavior: 'respond' | 'hang' | 'slow') => {
  const child = await startChild(import.meta.resolve('./endpoints-process.ts'), String(number), behavior)
  const urls: string[] = JSON.parse(child.readyMessage)
  return { child, urls }
}

/** Fills a store with organizations and subscriptions, and starts a server, workers and endpoints as processes. */
export const openScenario = async (engine: GrowthEngine, options: ScenarioOptions) => {
  const {
    suspects = 0,
    kind = 'hang',
    owner = 'one',
    pending = 0,
    dead = 'hang',
    workers = 1,
    hosts,
  } = options
  const healthy = await startEndpoints(healthyEndpoints, 'respond')
  const others = await startEndpoints(suspects + 1, kind)
  const { store, database } = await engine.fill({
    deliveries: pending,
    subscriptions: 1,
    subject: `'group:' || n`,
    subscription: '1',
    dueAt: 'n',
    status: `'pending'`,
  })
  const [hangingUrl = '', ...suspectUrls] = others.urls
  const rename = (urls: readonly string[], getHost?: (index: number) => string): string[] =>
    urls.map((each, index) => each.replace('127.0.0.1', getHost?.(index) ?? '$&'))
  const healthyUrls = rename(healthy.urls, hosts?.healthy)
  const ofSuspects = rename(suspectUrls, hosts?.suspect)
  const url = dead === 'hang' ? hangingUrl : refusingUrl
  for (const subscription of (await store.listSubscriptions('acme', { limit: 1 })).items)
    await store.saveSubscription({ ...subscription, revision: 2, url, secret })
  const targets = { suspect: [] as Target[], healthy: [] as Target[] }
  if (owner === 'healthy') {
    const all = await addOrganization(store, 'both', [...healthyUrls, ...ofSuspects])
    targets.healthy = all.slice(0, healthyEndpoints)
    targets.suspect = all.slice(healthyEndpoints)
  } else {
    targets.healthy = await addOrganization(store, 'healthy', healthyUrls)
    const groups = owner === 'one' ? [ofSuspects] : ofSuspects.map((suspect) => [suspect])
    for (const [index, urls] of groups.entries())
      targets.suspect.push(...(await addOrganization(store, `suspect_${index}`, urls)))
  }
  await store.close()
  const start = (role: string): Promise<Child> =>
    startChild(import.meta.resolve('./server-process.ts'), database, role, JSON.stringify(targets))
  const server = await start('all')
  const otherWorkers = await Promise.all(Array.from({ length: workers - 1 }, () => start('worker')))
  return {
    server,
    /** Publishes events for the healthy endpoints. Returns the p99 of the delays, in microseconds. */
    measureLatency: async (events: number): Promise<number> => {
      await healthy.child.command('reset')
      await server.command('run', events)
      const deadline = Date.now() + longestMs
      while ((await healthy.child.command('count')) < events && Date.now() < deadline) await sleep(20)
      const missing = events - (await healthy.child.command('count'))
      return 1_000 * (missing > events / 100 ? longestMs : await healthy.child.command('quantile', 99))
    },
    close: (): void => {
      for (const child of [server, ...otherWorkers, healthy.child, others.child]) child.close()
    },
  }
}
