import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

type Encoding = 'br' | 'gzip'

/** The encodings, the preferred one first. */
const encodings: readonly Encoding[] = ['br', 'gzip']

/** Shorter bodies fit one packet in any case. */
const minBytes = 1_024

/**
 * At this level, Brotli compresses better than gzip, in a similar time. Brotli's default level, 11, takes more than
 * fifty times as long.
 */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const compress = {
  br: (body: Uint8Array) => promisify(brotliCompress)(body, brotliOptions),
  gzip: (body: Uint8Array) => promisify(gzip)(body),
} as const satisfies Record<Encoding, (body: Uint8Array) => Promise<Uint8Array>>

/** Returns the first of `encodings` that an `Accept-Encoding` header allows (RFC 9110, section 12.5.3), if there is one. */
export const chooseEncoding = (accepted: string | null): Encoding | undefined => {
  const weights = new Map(
    (accepted ?? '').split(',').map((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((part) => part.startsWith('q='))?.slice(2) ?? '1'
      return [name, Number(weight)] as const
    }),
  )
  return encodings.find((name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0)
}

/**
 * Compresses the whole body of a response, if the client accepts that and the body is large enough. Do not pass a
 * response that contains a secret: its compressed length would depend on the secret, and a page that can choose part of
 * the response could guess the secret (BREACH). Do not pass a live stream: the response would not start until it ends.
 */
export const compressResponse = async (
  { headers }: Pick<Request, 'headers'>,
  response: Response,
): Promise<Response> => {
  response.headers.append('vary', 'accept-encoding')
  const encoding = chooseEncoding(headers.get('accept-encoding'))
  if (encoding === undefined || response.body === null) return response
  const body = new Uint8Array(await response.arrayBuffer())
  if (body.length < minBytes) return new Response(body, response)
  const compressed = new Response(Uint8Array.from(await compress[encoding](body)), response)
  compressed.headers.set('content-encoding', encoding)
  return compressed
}
