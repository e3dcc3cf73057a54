import type { HealthEvent } from '@wabakit/contract'
import { escapeControls } from '@wabakit/wire'
import type { Event, LiveAttempt } from '../control-types.ts'
import type { Output } from './output.ts'
import { formatUrl } from './table.ts'

/** Returns the local time of day: `12:00:00`. */
export const formatTime = (): string => new Date().toTimeString().slice(0, 8)

export type EventLine = Pick<Event, 'name' | 'id'> & {
  readonly subject?: string
  readonly channel?: string
  readonly payload?: string
}

/** Returns the endpoint and the response of a health event, or the id and the call or group of any other event. */
const formatSubject = ({ id, subject = '', channel, payload }: EventLine): string => {
  if (channel !== 'OPERATIONS' || payload === undefined) return `${id} ${subject}`.trimEnd()
  const { data }: HealthEvent = JSON.parse(payload)
  return `${data.subscriptionId} ${formatUrl(data.url)} ${data.lastResponse.status ?? data.lastResponse.error}`
}

/** Formats an event: `12:00:00 --> CALL_ENDED evt_… call:…` */
export const formatEvent = ({ style }: Output, event: EventLine): string =>
  `${style('dim', formatTime())} --> ${style('bold', event.name)} ${escapeControls(formatSubject(event))}`

export type AttemptLine = Pick<LiveAttempt, 'status' | 'error' | 'response' | 'url' | 'durationMs'> &
  Partial<Pick<LiveAttempt, 'eventName' | 'subject'>>

/** Formats an attempt: `12:00:00 <-- [401] CALL_ENDED call:… https://… 23 ms timestamp 3600 s old` */
export const formatAttempt = ({ style }: Output, attempt: AttemptLine): string => {
  const { status, error, response, url, durationMs, eventName = 'POST', subject = '' } = attempt
  const isSuccess = status !== null && status >= 200 && status < 300
  const outcome = style(isSuccess ? 'green' : 'red', `[${status ?? 'failed'}]`)
  const problem = isSuccess ? null : (error ?? response)
  const reason = problem === null ? '' : ` ${style('red', problem)}`
  const duration = durationMs === null ? '' : ` ${Math.round(durationMs)} ms`
  const what = escapeControls([eventName, subject, formatUrl(url)].filter(Boolean).join(' '))
  return `${style('dim', formatTime())} <-- ${outcome} ${what}${duration}${reason}`
}
