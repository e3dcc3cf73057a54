import { type ErrorBody, type ErrorCode, errorCodes, isErrorCode, reasonPhrases } from '@wabakit/contract'
import type { ApiFault } from './api-fault.ts'
import { connectionReset } from './connection-reset.ts'

const json = 'application/json; charset=utf-8'

const codes = Object.keys(errorCodes).filter(isErrorCode)

/**
 * The one code that the closed list has for a status; where it has several, none is made up. Of those with 503, only
 * `storage_unavailable` comes with `Retry-After`.
 */
const onlyCodeOf = (status: number, { retryAfterSeconds }: ApiFault): ErrorCode | undefined => {
  if (status === 503 && retryAfterSeconds !== undefined) return 'storage_unavailable'
  const [code, ...others] = codes.filter((each) => errorCodes[each] === status)
  return others.length === 0 ? code : undefined
}

const statusOf = ({ status, code, html }: ApiFault): number => {
  if (status !== undefined) return status
  if (isErrorCode(code)) return errorCodes[code]
  return html ? 502 : code === undefined ? 200 : 400
}

const errorBody = (fault: ApiFault, status: number): Partial<Omit<ErrorBody, 'code'>> & { code?: string } => {
  const code = fault.code ?? onlyCodeOf(status, fault)
  const [, phrase] = Object.entries(reasonPhrases).find(([known]) => Number(known) === status) ?? []
  return {
    statusCode: status,
    ...(phrase !== undefined && { error: phrase }),
    message: fault.message ?? 'The mock was told to answer this.',
    ...(code !== undefined && { code }),
  }
}

const page = (status: number): string =>
  `<!doctype html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>gateway</p></body></html>\n`

const bodyOf = (fault: ApiFault, status: number): { readonly type: string; readonly text: string } => {
  const { body, html, malformed, offContract } = fault
  if (body !== undefined) {
    return typeof body === 'string'
      ? { type: 'text/plain', text: body }
      : { type: json, text: JSON.stringify(body) }
  }
  if (html) return { type: 'text/html; charset=utf-8', text: page(status) }
  if (malformed) return { type: json, text: '{"success":true,"groupId":' }
  if (offContract) return { type: json, text: '{"ok":1}' }
  return { type: json, text: JSON.stringify(errorBody(fault, status)) }
}

const headersOf = ({ retryAfterSeconds, headers }: ApiFault, own: HeadersInit = {}): Headers => {
  const all = new Headers(own)
  if (retryAfterSeconds !== undefined) all.set('retry-after', String(retryAfterSeconds))
  for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value)
  return all
}

/** Half of a body, and then the end of the connection. */
const cutShort = async (answer: Response): Promise<Response> => {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  let sent = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent) controller.error(connectionReset())
      else controller.enqueue(bytes.slice(0, Math.ceil(bytes.length / 2)))
      sent = true
    },
  })
  const headers = new Headers(answer.headers)
  headers.set('content-length', String(bytes.length))
  return new Response(body, { status: answer.status, headers })
}

/** Whether the request reaches the service in spite of the fault. */
export const isCarriedOut = (fault: ApiFault): boolean => {
  const { carriedOut, malformed, offContract, reset, html, status, code, body } = fault
  if (carriedOut !== undefined) return carriedOut
  if (malformed || offContract) return true
  return !reset && !html && status === undefined && code === undefined && body === undefined
}

/**
 * The answer that a fault gives.
 *
 * @param own - the service's own answer, if the request was carried out.
 * @throws what `fetch` throws, when the connection is reset.
 */
export const faultyAnswer = (fault: ApiFault, own: Response | undefined): Response | Promise<Response> => {
  if (fault.reset) throw connectionReset()
  const { status, code, body, html, malformed, offContract } = fault
  const isReplaced =
    status !== undefined || code !== undefined || body !== undefined || html || malformed || offContract
  if (own !== undefined && !isReplaced) {
    const answer = new Response(own.body, { status: own.status, headers: headersOf(fault, own.headers) })
    return fault.truncated ? cutShort(answer) : answer
  }
  const given = statusOf(fault)
  const { type, text } = bodyOf(fault, given)
  const headers = headersOf(fault, { 'content-type': type })
  const answer = new Response([204, 205, 304].includes(given) ? null : text, { status: given, headers })
  return fault.truncated ? cutShort(answer) : answer
}
