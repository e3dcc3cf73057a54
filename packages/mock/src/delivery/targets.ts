/** Takes webhooks in process: a receiver, or a function from `Request` to `Response` such as a framework's `fetch`. */
export type DeliveryTarget =
  | { handle(request: Request): Response | Promise<Response> }
  | ((request: Request) => Response | Promise<Response>)

/** Where the deliveries of a subscription go. */
export type Destination = {
  /** What recorded deliveries call it. */
  readonly name: string
  /** The URL of the requests. */
  readonly url: string
  send(request: Request): Promise<Response>
}

/** Where the deliveries of each subscription go, by the subscription's URL. */
export type Targets = {
  /** Sends what goes to `url` to a target in process. */
  set(url: string, destination: Destination): void
  delete(url: string): void
  /** The destination of a URL: a target in process, or the URL itself over HTTP. */
  of(url: string): Destination
}

/** A destination in process. */
export const inProcess = (name: string, url: string, target: DeliveryTarget): Destination => ({
  name,
  url,
  send: async (request) => (typeof target === 'function' ? target(request) : target.handle(request)),
})

/** Takes everything, and hands it to nobody. */
export const collector = (url: string): Destination => ({
  name: 'collector',
  url,
  send: async () => new Response(null, { status: 204 }),
})

/** Makes the table. */
export const createTargets = (): Targets => {
  const table = new Map<string, Destination>()
  return {
    set: (url, destination) => table.set(url, destination),
    delete: (url) => table.delete(url),
    of: (url) =>
      table.get(url) ?? {
        name: url,
        url,
        // Looked up for each request, because a test may have replaced it.
        send: (request) => globalThis.fetch(request),
      },
  }
}
