import { quote } from '../../shell.ts'
import { swapCase } from '../../swap-case.ts'

/** A key that no server knows. */
export const unknownKey = 'wk_unknown_key_0000000000'

/** The keys of an examination's options, by name. */
type GivenKeys = {
  readonly api: string | undefined
  readonly other: string | undefined
  readonly foreign: string | undefined
}

export const listKeys = (given: GivenKeys) => ({
  ...given,
  unknown: unknownKey,
  empty: '',
  none: undefined,
})

export type KeyName = keyof ReturnType<typeof listKeys>

/**
 * Altered keys that a server must refuse: each as a function of the key, and as a shell expression on the
 * variable that holds the key.
 */
const keyForms = {
  prefixed: [(key: string) => `x${key}`, (name: string) => `x$${name}`],
  suffixed: [(key: string) => `${key}x`, (name: string) => `\${${name}}x`],
  'with-a-word-after': [(key: string) => `${key} x`, (name: string) => `$${name} x`],
  'in-a-list': [(key: string) => `${key}, x`, (name: string) => `$${name}, x`],
  'a-pattern': [() => '%', () => '%'],
  'an-injection': [() => "' OR '1'='1", () => "' OR '1'='1"],
  'an-inherited-name': [() => 'constructor', () => 'constructor'],
  cut: [(key: string) => key.slice(0, -1), (name: string) => `\${${name}%?}`],
  'in-the-other-case': [swapCase, (name: string) => `$(printf %s "$${name}" | tr a-zA-Z A-Za-z)`],
} as const

/** A request to the public API, without base URL and key. */
export type ApiRequest = {
  readonly method: 'GET' | 'POST'
  /** Path with query, relative to the base URL. */
  readonly path: string
  readonly key: KeyName
  /** How the key is altered. @default not at all */
  readonly keyForm?: keyof typeof keyForms | undefined
  /** Scheme before the key, such as `Bearer `. */
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

export type ApiExchange = { readonly request: ApiRequest; readonly response: ApiResponse }

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

const keyVariables = listKeys({
  api: 'WABAKIT_API_KEY',
  other: 'WABAKIT_OTHER_KEY',
  foreign: 'WABAKIT_FOREIGN_KEY',
})

/** Returns the value of the header that carries a request's key, or `undefined` if it has none. */
export const formatKey = (
  { key, keyForm, keyPrefix = '' }: ApiRequest,
  keys: ReturnType<typeof listKeys>,
): string | undefined => {
  const text = keys[key]
  if (text === undefined) return undefined
  return keyPrefix + (keyForm === undefined ? text : keyForms[keyForm][0](text))
}

const formatKeyForShell = ({ key, keyForm, keyPrefix = '' }: ApiRequest): string | undefined => {
  const name = keyVariables[key]
  if (name === undefined || name === '' || name === unknownKey) return name
  return keyPrefix + (keyForm === undefined ? `$${name}` : keyForms[keyForm][1](name))
}

type KeyHeader = { readonly profile?: 'reference' | 'live' | undefined; readonly authHeader: string }

/**
 * Returns the header that carries the key of a request. The documentation of live services names one header for
 * groups and another for calls.
 */
export const chooseKeyHeader = (path: string, { profile, authHeader }: KeyHeader): string => {
  if (profile !== 'live') return authHeader
  return path.startsWith('/whatsapp/') ? 'x-public-api-key' : 'Authorization'
}

/** Returns a shell command that repeats a request. It refers to keys by variables and contains no secret. */
export const buildCurl = (
  request: ApiRequest,
  { baseUrl, ...keyHeader }: KeyHeader & { readonly baseUrl: string },
): string => {
  const { method, path, contentType, body } = request
  const authHeader = chooseKeyHeader(path, keyHeader)
  const keyText = formatKeyForShell(request)
  const isLong = body !== undefined && body.length > 8_000
  const input = isLong ? `head -c ${body.length} /dev/zero | tr '\\0' ' ' | ` : ''
  const data = body === undefined ? '' : isLong ? ' --data-binary @-' : ` --data-raw ${quote(body)}`
  const keyOption =
    keyText === undefined ? '' : keyText === '' ? ` -H "${authHeader};"` : ` -H "${authHeader}: ${keyText}"`
  const typeOption = contentType === undefined ? '' : ` -H ${quote(`content-type: ${contentType}`)}`
  return `${input}curl -i -X ${method} ${quote(baseUrl + path)}${keyOption}${typeOption}${data}`
}
