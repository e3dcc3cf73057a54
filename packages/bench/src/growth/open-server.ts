import { type Child, startChild } from '../commands.ts'
import type { Engine } from './backlog.ts'

/** A server in its own process, with 20 healthy endpoints and a dead one. */
export type OpenedServer = {
  readonly server: Child
  /** The healthy endpoints. */
  readonly arrivals: Child
  close(): Promise<void>
}

/** Options for {@link openServer}. */
export type ServerOptions = {
  /** Number of deliveries due to the dead endpoint. */
  readonly pending: number
  /** `refused`: it refuses connections. `hanging`: it never responds. */
  readonly dead: 'refused' | 'hanging'
}

/** URL of a port without a listener. */
const refusingUrl = 'http://127.0.0.1:9/'

/** Fills a store with the backlog of a dead endpoint, and starts a server on it. */
export const openServer = async (engine: Engine, { pending, dead }: ServerOptions): Promise<OpenedServer> => {
  const arrivals = await startChild({ file: import.meta.resolve('./arrivals-process.ts') })
  const subscriptions = 21
  const backlog = await engine.fill({
    ...{ deliveries: pending, subscriptions, subject: `'group:' || n`, subscription: '1', dueAt: 'n' },
    status: `'pending'`,
  })
  const { store, database } = backlog
  const [organization] = (await store.listOrganizations({ limit: 1 })).items
  const { items } = await store.listSubscriptions('acme', { limit: subscriptions })
  if (organization === undefined) throw new Error('The store has no organization.')
  const integrations = items.map(({ number }) => ({
    number,
    digits: number.slice(1),
    enabled: true,
    joinApprovalMode: 'auto_approve' as const,
  }))
  await store.saveOrganization({ ...organization, revision: 2, integrations })
  for (const subscription of items) {
    const deadUrl = dead === 'refused' ? refusingUrl : `${arrivals.readyMessage}/hang`
    const url = subscription.id === 'sub_1' ? deadUrl : `${arrivals.readyMessage}/`
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    await store.saveSubscription({ ...subscription, revision: 2, url, secret })
  }
  await store.close()
  const server = await startChild({ file: import.meta.resolve('./server-process.ts'), arguments: [database] })
  return {
    server,
    arrivals,
    close: async () => {
      server.close()
      arrivals.close()
    },
  }
}
