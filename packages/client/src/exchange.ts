import ky from 'ky'
import { abortable } from './abortable.ts'
import type { Call } from './call.ts'
import { type ReadBody, readBody } from './read-body.ts'
import type { Settings } from './settings.ts'

/** Largest body of a success, in bytes. */
const successLimit = 1_048_576
/** How much of any other body is read, in bytes. */
const errorLimit = 65_536

/** An answer and its body, as far as it came. */
export type Received = ReadBody & { readonly response: Response }

/** Sends one request and reads its answer. Rejects with what the runtime throws when no whole success came. */
export const exchange = async (
  settings: Settings,
  call: Call<unknown>,
  headers: Headers,
  signal: AbortSignal,
): Promise<Received> => {
  const custom = settings.fetch
  const sending = ky(settings.baseUrl + call.path, {
    method: call.method,
    headers,
    signal,
    redirect: 'manual',
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    ...(call.body !== undefined && { body: call.body }),
    ...(custom && { fetch: (input) => custom(input instanceof Request ? input : new Request(input)) }),
  })
  // A fetch that takes no notice of its signal may still answer later: nobody would read that answer.
  const discard = () => sending.then(({ body }) => body?.cancel()).catch(() => {})
  signal.addEventListener('abort', discard)
  let response: Response
  try {
    response = await abortable(signal, sending)
  } finally {
    signal.removeEventListener('abort', discard)
  }
  const body = await readBody(response, response.ok ? successLimit : errorLimit, signal)
  // An error keeps its class however little of its body came; a success without its body is none.
  if (response.ok && typeof body.cut === 'object') throw body.cut.error
  return { ...body, response }
}
