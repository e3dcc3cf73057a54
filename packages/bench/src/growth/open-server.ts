import { type Child, startChild } from '../commands.ts'
import type { Engine } from './backlog.ts'

/** A server in a process of its own, with 20 healthy endpoints and one that may be dead. */
export type OpenedServer = {
  readonly server: Child
  /** The healthy endpoints. */
  readonly arrivals: Child
  close(): Promise<void>
}

/** Options of {@link openServer}. */
export type ServerOptions = {
  /** Deliveries that are due to the dead endpoint. */
  readonly pending: number
  /** `refused`: nobody listens. `hanging`: it never answers. */
  readonly dead: 'refused' | 'hanging'
}

/** A port on which nobody listens. */
const refusing = 'http://127.0.0.1:9/'

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
  if (organization === undefined) throw new Error('no organization')
  const integrations = items.map(({ number }) => ({
    number,
    digits: number.slice(1),
    enabled: true,
    joinApprovalMode: 'auto_approve' as const,
  }))
  await store.saveOrganization({ ...organization, revision: 2, integrations })
  for (const subscription of items) {
    const deadUrl = dead === 'refused' ? refusing : `${arrivals.greeting}/hang`
    const url = subscription.id === 'sub_1' ? deadUrl : `${arrivals.greeting}/`
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
