/**
 * Records the start and end of each attempt in this process, when its HTTP client sends and ends the request. On a busy
 * machine, an endpoint notices both late, so consecutive attempts can seem to overlap.
 *
 * Also makes the server report failing subscriptions immediately, so that reports are frequent.
 */
import { subscribe } from 'node:diagnostics_channel'
import { type AttemptLine, openLines, readMonotonic } from '../lines.ts'
import { editSources } from './edit-sources.ts'

editSources({ '/storage/decide-health.ts': [['reportAfterMs: 10 * 60_000', 'reportAfterMs: 1']] })

const { WABAKIT_ATTEMPTS: file = '', WABAKIT_PROCESS: name = '' } = process.env
const lines = openLines<AttemptLine>(file)
/** Attempt numbers, by request. */
const running = new WeakMap<object, number>()
// Saved before a scenario changes the clock.
const { now } = Date
let count = 0

type Sent = { readonly request: object; readonly headers: string }

subscribe('undici:client:sendHeaders', (message) => {
  const { request, headers } = message as Sent
  const id = /^webhook-id: (.+)$/im.exec(headers)?.[1]?.trim()
  if (id === undefined) return
  running.set(request, ++count)
  lines.append({ process: name, number: count, monotonic: readMonotonic(), begun: { id, at: now() } })
})

const end = (message: unknown): void => {
  const { request } = message as Sent
  const number = running.get(request)
  if (number !== undefined && running.delete(request))
    lines.append({ process: name, number, monotonic: readMonotonic() })
}
subscribe('undici:request:trailers', end)
subscribe('undici:request:error', end)
