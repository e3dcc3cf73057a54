/** The key of a request: one of the keys in the options, an unknown one, or none. */
export type KeyName = 'api' | 'other' | 'unknown' | 'empty' | 'none'

/** A request to the public API, without the base URL and the key. */
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
  /** 0 if there was no response. */
  readonly status: number
  readonly headers: Headers
  /** The body; if there was no response, the reason. */
  readonly text: string
  /** The parsed body; `undefined` if it is not JSON. */
  readonly json: unknown
}

/** A request with its response. */
export type Exchange = { readonly request: ApiRequest; readonly response: ApiResponse }

/** Returns the parsed text; `undefined` if it is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a field of a value; `undefined` if the value is not an object or has no such field. */
export const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
