import { quote } from '../../shell.ts'

/** A key that no server knows. */
export const unknownKey = 'wk_unknown_key_0000000000'

/** Returns the keys that requests can carry, by name: two from the options, an unknown key, an empty key, or no key. */
export const listKeys = (api: string | undefined, other: string | undefined) => ({
  api,
  other,
  unknown: unknownKey,
  empty: '',
  none: undefined,
})

export type KeyName = keyof ReturnType<typeof listKeys>

/** A request to the public API, without base URL and key. */
export type ApiRequest = {
  readonly method: 'GET' | 'POST'
  /** Path with query, relative to the base URL. */
  readonly path: string
  readonly key: KeyName
  /** Prefix of the key, such as `Bearer `. */
  readonly keyPrefix?: string | undefined
  readonly contentType?: string | undefined
  readonly body?: string | undefined
}

export type ApiResponse = {
  /** The status of the response, or 0 if there was none. */
  readonly status: number
  readonly headers: Headers
  /** The body or, if there was no response, the reason. */
  readonly text: string
  /** The parsed body, or `undefined` if it is not JSON. */
  readonly json: unknown
}

export type Exchange = { readonly request: ApiRequest; readonly response: ApiResponse }

/** Parses JSON. Returns `undefined` if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a field of a value. Returns `undefined` if the value is not an object or has no such field. */
export const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

const keyTexts = listKeys('$WABAKIT_API_KEY', '$WABAKIT_OTHER_KEY')

type KeyHeader = { readonly profile?: 'reference' | 'live' | undefined; readonly authHeader: string }

/** Returns the header that carries the key of a request. Live services publish one for groups and one for calls. */
export const chooseKeyHeader = (path: string, { profile, authHeader }: KeyHeader): string => {
  if (profile !== 'live') return authHeader
  return path.startsWith('/whatsapp/') ? 'x-public-api-key' : 'Authorization'
}

/** Returns a shell command that repeats a request. It refers to keys by variables and contains no secret. */
export const buildCurl = (
  request: ApiRequest,
  { baseUrl, ...keyHeader }: KeyHeader & { readonly baseUrl: string },
): string => {
  const { method, path, key, keyPrefix = '', contentType, body } = request
  const authHeader = chooseKeyHeader(path, keyHeader)
  const keyText = keyTexts[key]
  const isLong = body !== undefined && body.length > 8_000
  const input = isLong ? `head -c ${body.length} /dev/zero | tr '\\0' ' ' | ` : ''
  const data = body === undefined ? '' : isLong ? ' --data-binary @-' : ` --data-raw ${quote(body)}`
  const keyOption =
    keyText === undefined
      ? ''
      : keyText === ''
        ? ` -H "${authHeader};"`
        : ` -H "${authHeader}: ${keyPrefix}${keyText}"`
  const typeOption = contentType === undefined ? '' : ` -H ${quote(`content-type: ${contentType}`)}`
  return `${input}curl -i -X ${method} ${quote(baseUrl + path)}${keyOption}${typeOption}${data}`
}
