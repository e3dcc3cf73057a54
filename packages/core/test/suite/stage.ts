import {
  type DeliveryRequest,
  type DeliveryResponse,
  memoryStore,
  type ReferenceServer,
  type Store,
} from '@wabakit/core'

/** Decides how an endpoint responds to a delivery. */
export type Receive = (headers: Headers, body: string) => Promise<Response>

/** What stores the records of the cases, and carries their requests and deliveries. */
export type Stage = {
  /** Opens an empty store. */
  openStore(): Promise<Store>
  /** Returns a function that sends requests to a server from an address. */
  serve(server: ReferenceServer): (request: Request, remoteAddress: string | undefined) => Promise<Response>
  /** Sends a delivery to an endpoint. */
  deliver(request: DeliveryRequest, receive: Receive): Promise<DeliveryResponse>
}

/** Calls functions, which works in any runtime. */
export const inProcess: Stage = {
  openStore: async () => memoryStore(),
  serve:
    ({ fetch }) =>
    (request, remoteAddress) =>
      fetch(request, { remoteAddress }),
  deliver: ({ headers, body }, receive) => receive(new Headers(headers), String(body)),
}

let current = inProcess

/** Sets the stage of all cases that run from now on. */
export const playOn = (stage: Stage): void => {
  current = stage
}

/** Returns the stage of the running case. */
export const getStage = (): Stage => current

/** Opens an empty store on the stage of the running case. */
export const openStore = (): Promise<Store> => current.openStore()
