/** The key of a request: one that the examiner was given, an unknown one, or none. */
export type KeyName = 'api' | 'other' | 'unknown' | 'empty' | 'none'

/** A request of the public API, before it has a base URL and a key. */
export type ApiRequest = {
  readonly method: 'GET' | 'POST'
  /** Path with query, relative to the base URL. */
  readonly path: string
  readonly key: KeyName
  /** Text before the key, such as `Bearer `. */
  readonly keyPrefix?: string | undefined
  readonly contentType?: string | undefined
  readonly body?: string | undefined
}

/** The response. */
export type ApiResponse = {
  /** 0 if there was no response at all. */
  readonly status: number
  readonly headers: Headers
  /** The body; if there was no response, the reason. */
  readonly text: string
  /** The parsed body; `undefined` if it is not JSON. */
  readonly json: unknown
}

/** A request with its response. */
export type Exchange = { readonly request: ApiRequest; readonly response: ApiResponse }

/** Reads a field of a value that may not be an object. */
export const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
