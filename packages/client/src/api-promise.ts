/** The result of a call, together with its response. */
export type WithResponse<Data> = {
  /** The value that the call resolves to. */
  readonly data: Data
  /** The response, as `fetch` returned it, for its status and headers. Its body has been read. */
  readonly response: Response
  /** The response's `x-request-id`, if any. */
  readonly requestId: string | undefined
}

/** The promise of a call's result, with access to the response. */
export type ApiPromise<Data> = Promise<Data> & {
  /** Resolves to the result together with its response. Rejects with the same error as the promise itself. */
  withResponse(): Promise<WithResponse<Data>>
}

export const createApiPromise = <Data>(call: Promise<WithResponse<Data>>): ApiPromise<Data> => {
  const data = call.then((result) => result.data)
  return Object.assign(data, {
    withResponse: () => {
      // The caller handles rejections of `call`, so those of `data` must not count as unhandled.
      data.catch(() => {})
      return call
    },
  })
}
