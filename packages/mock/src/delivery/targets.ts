import { maskUrl } from '@wabakit/wire'
import { MockUsageError } from '../errors.ts'

/** Handles webhooks in process: a receiver, or a function from `Request` to `Response`, such as a `fetch`. */
export type DeliveryTarget =
  | { handle(request: Request): Response | Promise<Response> }
  | ((request: Request) => Response | Promise<Response>)

type Destination = {
  /** The target's name in recorded deliveries. */
  readonly name: string
  readonly url: string
  send(request: Request): Promise<Response>
}

/** URL of the tenant's first subscriptions. Their deliveries are only recorded until `deliverTo` sets a target. */
const defaultUrl = 'https://inbox.invalid/'

const { fetch: runtimeFetch } = globalThis

const collector: Destination = {
  name: 'collector',
  url: defaultUrl,
  send: async () => new Response(null, { status: 204 }),
}

const createReceiverDestination = (url: string, target: DeliveryTarget): Destination => ({
  name: 'receiver',
  url,
  send: async (request) => (typeof target === 'function' ? target(request) : target.handle(request)),
})

export const createTargets = () => {
  const destinations = new Map([[defaultUrl, collector]])
  let isTaken = false
  return {
    defaultUrl,
    /**
     * Delivers the webhooks for the first subscriptions to a target, as requests to `url`.
     *
     * @returns a function that removes the target.
     */
    deliverTo: (target: DeliveryTarget, url: string): (() => void) => {
      // A request would fail later, with a message that contains the URL.
      const { username, password } = URL.parse(url) ?? { username: url }
      if (username || password)
        throw new MockUsageError('deliverTo: url must be an absolute URL without a user name or password.')
      if (isTaken) {
        throw new MockUsageError(
          'deliverTo: this mock already has a receiver, and both would have to verify with the same secret. ' +
            'Give the other one its own mock.tenant(), or add it with its own secret through mock.subscribe({ receiver, secret }), ' +
            'or first call the function that deliverTo returned.',
        )
      }
      isTaken = true
      const destination = createReceiverDestination(url, target)
      destinations.set(defaultUrl, destination)
      return () => {
        if (destinations.get(defaultUrl) !== destination) return
        isTaken = false
        destinations.set(defaultUrl, collector)
      }
    },
    /** Delivers the webhooks for a subscription URL to an in-process target. */
    add: (url: string, target: DeliveryTarget): void => {
      destinations.set(url, createReceiverDestination(url, target))
    },
    find: (url: string): Destination =>
      destinations.get(url) ?? {
        name: maskUrl(url),
        url,
        send: async (request) => {
          // A test may have replaced `fetch`, to respond in place of the endpoint.
          if (globalThis.fetch !== runtimeFetch) return globalThis.fetch(request)
          return (await import('#send')).send(request)
        },
      },
    /** Returns the URL whose deliveries are only recorded; `undefined` while there is a target of `deliverTo`. */
    findCollectorUrl: (): string | undefined =>
      destinations.get(defaultUrl) === collector ? defaultUrl : undefined,
    /** Allows the next `deliverTo` to replace the current target. */
    allowReplacement: (): void => {
      isTaken = false
    },
  }
}

export type Targets = ReturnType<typeof createTargets>
