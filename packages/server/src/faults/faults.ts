import { type EndpointName, endpoints } from '@wabakit/contract'

/** What shall go wrong with a request of the public API. */
export type Fault = {
  readonly endpoint: EndpointName
  /** Answer this status instead of asking the service. */
  readonly status?: number | undefined
  /** `Retry-After` of that answer, in seconds. */
  readonly retryAfterSeconds?: number | undefined
  /** Wait before answering, in milliseconds. */
  readonly latencyMs?: number | undefined
  /** What the body of the answer is: `malformed` is JSON that breaks off, `html` a page, `empty` nothing. */
  readonly body?: 'malformed' | 'html' | 'empty' | undefined
  /**
   * Break the connection off instead of answering: `before` the service has seen the request, or `after` it has done
   * what was asked, so that the caller cannot know.
   */
  readonly reset?: 'before' | 'after' | undefined
  /**
   * For how many requests.
   * @default 1
   */
  readonly times?: number | undefined
}

/** A fault that is waiting for requests. */
export type PlannedFault = Fault & { readonly id: string; readonly remaining: number }

/** The faults of a server. */
export type Faults = {
  /** Plans a fault; those of one endpoint happen in the order they were planned. */
  add(fault: Fault): PlannedFault
  list(): PlannedFault[]
  /** Forgets all of them. */
  clear(): void
  /** The fault of a request to this path, which counts as happened. */
  take(method: string, path: string): Fault | undefined
}

const endpointOf = (method: string, path: string): EndpointName | undefined =>
  (Object.keys(endpoints) as EndpointName[]).find(
    (name) => endpoints[name].path === path && endpoints[name].method === method,
  )

/** Makes the faults; none is planned. */
export const createFaults = (): Faults => {
  let planned: PlannedFault[] = []
  let made = 0
  return {
    add: (fault) => {
      const added = { ...fault, id: `fault_${++made}`, remaining: fault.times ?? 1 }
      planned.push(added)
      return added
    },
    list: () => [...planned],
    clear: () => {
      planned = []
    },
    take: (method, path) => {
      const endpoint = endpointOf(method, path)
      const fault = planned.find((each) => each.endpoint === endpoint)
      if (fault === undefined) return undefined
      planned = planned
        .map((each) => (each === fault ? { ...each, remaining: each.remaining - 1 } : each))
        .filter(({ remaining }) => remaining > 0)
      return fault
    },
  }
}
