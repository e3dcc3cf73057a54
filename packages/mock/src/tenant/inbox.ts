import { collector, type DeliveryTarget, inProcess, type Targets } from '../delivery/targets.ts'
import { MockUsageError } from '../errors/mock-usage-error.ts'

/** Where the first subscriptions of a tenant deliver: to a collector, or to one target. */
export type Inbox = {
  /** @returns takes it away again. */
  deliverTo(target: DeliveryTarget, url: string): () => void
  /** Lets another target take the place of the present one. */
  loosen(): void
}

/** Makes an inbox behind a subscription URL. */
export const createInbox = (targets: Targets, inboxUrl: string): Inbox => {
  let isTaken = false
  let latest = 0
  targets.set(inboxUrl, collector(inboxUrl))
  return {
    deliverTo: (target, url) => {
      if (isTaken) {
        throw new MockUsageError(
          'deliverTo: there is a receiver already, and the two would have to verify with the same secret. ' +
            'Give the other a mock.tenant() of its own, add it with its own secret by mock.subscribe({ receiver, secret }), ' +
            'or first call the function that deliverTo returned.',
        )
      }
      isTaken = true
      const mine = ++latest
      targets.set(inboxUrl, inProcess('receiver', url, target))
      return () => {
        if (mine !== latest) return
        isTaken = false
        targets.set(inboxUrl, collector(inboxUrl))
      }
    },
    loosen: () => {
      isTaken = false
    },
  }
}
