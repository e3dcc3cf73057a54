/** Recognizes a request from any realm, such as that of a test in happy-dom. */
const isRequest = (input: unknown): input is Request =>
  typeof Object(Object(input).headers).get === 'function'

/** Returns the request that the arguments of `fetch` describe. */
export const toRequest = (input: string | URL | Request, init?: RequestInit): Request =>
  isRequest(input) && init === undefined ? input : new Request(input, init)
