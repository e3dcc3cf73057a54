import { RequestRefusedError } from '../errors/request-refused-error.ts'
import type { CallerRecord } from '../records.ts'
import type { Directory } from '../tenancy/directory.ts'

const challenge = { headers: { 'www-authenticate': 'Bearer' } }

/**
 * Reads the Public API key from the given header: the raw key, or `Bearer` and the key.
 *
 * @throws RequestRefusedError `missing_api_key`.
 */
export const readKey = (headers: Headers, header: string): string => {
  const key = headers.get(header)?.replace(/^bearer(?: +|$)/i, '') ?? ''
  if (key !== '') return key
  throw new RequestRefusedError(
    'missing_api_key',
    `The ${header} header must carry a Public API key.`,
    challenge,
  )
}

/**
 * Returns the caller whose key this is.
 *
 * @throws RequestRefusedError `invalid_api_key`.
 */
export const authenticate = async (key: string, directory: Directory): Promise<CallerRecord> => {
  const caller = await directory.caller(key)
  if (caller !== undefined) return caller
  throw new RequestRefusedError('invalid_api_key', 'The Public API key is invalid.', challenge)
}
