/** The result of a call together with the answer it came from. */
export type WithResponse<Data> = {
  /** What the call resolves to. */
  data: Data
  /** Status and headers of the answer; its body has been read. */
  response: Response
  /** The answer's `x-request-id`; `undefined` when it had none. */
  requestId: string | undefined
}

/** A promise of a call's result that can also give the answer it came from. */
export type ApiPromise<Data> = Promise<Data> & {
  /** The result with status, headers and request id of its answer. Rejects as the call does. */
  withResponse(): Promise<WithResponse<Data>>
}

/** Makes the {@link ApiPromise} of a call that has been started. */
export const apiPromiseOf = <Data>(call: Promise<WithResponse<Data>>): ApiPromise<Data> => {
  const data = call.then((result) => result.data)
  return Object.assign(data, {
    withResponse: () => {
      // Whoever asks for the response handles a rejection there; it must not count as unhandled here.
      data.catch(() => {})
      return call
    },
  })
}
