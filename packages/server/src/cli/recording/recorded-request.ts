import { isUtf8 } from 'node:buffer'
import { writeJson } from '@wabakit/wire'
import * as z from 'zod/mini'

/** A request with its exact bytes. */
export type RecordedRequest = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Names and values, in the order in which they arrived. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** Headers that contain no secret. */
const harmlessHeaders = [
  ...['content-type', 'content-encoding', 'content-length', 'user-agent'],
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
]

/** Replaces the value of a masked header. */
const mask = '(masked)'

const lineSchema = z.object({
  receivedAt: z.string(),
  method: z.string(),
  path: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.optional(z.string()),
  bodyBase64: z.optional(z.string()),
})

/**
 * Formats a request as one line of JSON. Without `keepSecrets`, masks the headers that may contain a secret, and leaves
 * out the query.
 */
export const formatLine = (
  { method, path, headers, body }: RecordedRequest,
  { receivedAt, keepSecrets }: { readonly receivedAt: Date; readonly keepSecrets: boolean },
): string =>
  JSON.stringify({
    receivedAt: receivedAt.toISOString(),
    method,
    path: keepSecrets ? path : path.replace(/\?.*$/s, ''),
    headers: headers.map(([name, value]) =>
      keepSecrets || harmlessHeaders.includes(name.toLowerCase()) ? [name, value] : [name, mask],
    ),
    // Text can be read and edited. Bytes that are not UTF-8 would not survive as text.
    ...(isUtf8(body) ? { body: body.toString() } : { bodyBase64: body.toString('base64') }),
  } satisfies z.infer<typeof lineSchema>)

/** A line after a request that was answered with no success, because the application refused it or did not answer. */
const refusalSchema = z.strictObject({ receivedAt: z.string(), refusedWith: z.number() })

/** Formats the line about a request that was answered with this status, which is no success. */
export const formatRefusal = (refusedWith: number, { receivedAt }: { readonly receivedAt: Date }): string =>
  JSON.stringify({ receivedAt: receivedAt.toISOString(), refusedWith } satisfies z.infer<
    typeof refusalSchema
  >)

/**
 * Reads what {@link formatLine} has written. Returns `'refused'` for what {@link formatRefusal} has written, and takes
 * anything else as the body of a webhook, with its exact bytes if they are known.
 */
export const toRequest = (json: unknown, bytes?: Buffer): RecordedRequest | 'refused' => {
  if (refusalSchema.safeParse(json).success) return 'refused'
  const { success, data } = lineSchema.safeParse(json)
  if (!success) {
    // Many exports contain a body as a string of JSON.
    const body = typeof json === 'string' ? Buffer.from(json) : (bytes ?? Buffer.from(writeJson(json)))
    return { method: 'POST', path: '/', headers: [['content-type', 'application/json']], body }
  }
  const { method, path, headers, body = '', bodyBase64 } = data
  return {
    method,
    path,
    headers: headers.filter(([, value]) => value !== mask),
    body: bodyBase64 === undefined ? Buffer.from(body) : Buffer.from(bodyBase64, 'base64'),
  }
}
