import { RequestRefusedError } from '../errors/request-refused-error.ts'
import type { CallerRecord } from '../records.ts'
import type { Directory } from '../tenancy/directory.ts'

/**
 * Who makes a request, by the Public API key in the given header: the raw key, or `Bearer` and the key.
 *
 * @throws RequestRefusedError `missing_api_key` or `invalid_api_key`.
 */
export const authenticate = async (
  headers: Headers,
  { header, directory }: { readonly header: string; readonly directory: Directory },
): Promise<CallerRecord> => {
  const challenge = { headers: { 'www-authenticate': 'Bearer' } }
  const key = headers.get(header)?.replace(/^bearer(?: +|$)/i, '') ?? ''
  if (key === '') {
    throw new RequestRefusedError(
      'missing_api_key',
      `The ${header} header must carry a Public API key.`,
      challenge,
    )
  }
  const caller = await directory.caller(key)
  if (caller === undefined)
    throw new RequestRefusedError('invalid_api_key', 'The Public API key is invalid.', challenge)
  return caller
}
