/** The result of a call together with the answer it came from. */
export type WithResponse<Data> = {
  /** What the call resolves to. */
  readonly data: Data
  /** Status and headers of the answer; its body has been read. */
  readonly response: Response
  /** The answer's `x-request-id`; `undefined` when it had none. */
  readonly requestId: string | undefined
}

/** The promise of a call's result, which can also give the answer that it came from. */
export type ApiPromise<Data> = Promise<Data> & {
  /** The result together with status, headers and request id of its answer. Rejects as the call does. */
  withResponse(): Promise<WithResponse<Data>>
}

/** Makes the {@link ApiPromise} of a call that has been started. */
export const apiPromiseOf = <Data>(call: Promise<WithResponse<Data>>): ApiPromise<Data> => {
  const data = call.then((result) => result.data)
  return Object.assign(data, {
    withResponse: () => {
      // Who asks for the response handles a rejection there: it must not count as unhandled here too.
      data.catch(() => {})
      return call
    },
  })
}
