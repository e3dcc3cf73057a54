import { STATUS_CODES } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from './faults.ts'

/** What {@link applyFault} works with. */
export type FaultedExchange = {
  /** What the service answers. */
  answer(): Promise<Response>
  /** Breaks the connection off. */
  reset(): void
}

const bodies = {
  malformed: { type: 'application/json', text: '{"success": tr' },
  html: {
    type: 'text/html; charset=utf-8',
    text: '<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>',
  },
  empty: { type: 'application/json', text: '' },
} as const

const headersOf = ({ retryAfterSeconds }: Fault, type: string): Headers => {
  const headers = new Headers({ 'content-type': type })
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds))
  return headers
}

const madeUp = (fault: Fault, status: number): Response => {
  if (fault.body !== undefined) {
    const { type, text } = bodies[fault.body]
    return new Response(text, { status, headers: headersOf(fault, type) })
  }
  const body = {
    statusCode: status,
    error: STATUS_CODES[status] ?? 'Error',
    message: 'This fault was asked for.',
    // Without this code, a client must not repeat a create after 503.
    ...(status === 503 && fault.retryAfterSeconds !== undefined && { code: 'storage_unavailable' }),
  }
  return new Response(JSON.stringify(body), { status, headers: headersOf(fault, 'application/json') })
}

/** Answers a request as a fault says. After a reset the answer goes nowhere. */
export const applyFault = async (fault: Fault, { answer, reset }: FaultedExchange): Promise<Response> => {
  if (fault.latencyMs !== undefined) await sleep(fault.latencyMs, undefined, { ref: false })
  if (fault.reset === 'before') {
    reset()
    return new Response(null, { status: 502 })
  }
  if (fault.status !== undefined) return madeUp(fault, fault.status)
  const response = await answer()
  if (fault.reset === 'after') reset()
  return fault.body === undefined ? response : madeUp(fault, response.status)
}
