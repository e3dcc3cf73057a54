import { escapeControls } from '@wabakit/contract/escape-controls'
import type { Output } from './output.ts'

const clock = (): string => new Date().toTimeString().slice(0, 8)

/** `12:00:00 --> CALL_ENDED evt_…` */
export const eventLine = ({ style }: Output, { name, id }: { name: string; id: string }): string =>
  `${style('dim', clock())} --> ${style('bold', name)} ${escapeControls(id)}`

/** An attempt to deliver, as a line tells it. */
export type AttemptLine = {
  readonly status: number | null
  readonly error: string | null
  readonly url: string
  readonly durationMs: number | null
}

/** `12:00:00 <-- [200] POST https://… 23 ms` */
export const attemptLine = ({ style }: Output, attempt: AttemptLine): string => {
  const { status, error, url, durationMs } = attempt
  const isGood = status !== null && status >= 200 && status < 300
  const outcome = style(isGood ? 'green' : 'red', `[${status ?? 'failed'}]`)
  const why = error === null ? '' : ` ${style('red', error)}`
  const took = durationMs === null ? '' : ` ${Math.round(durationMs)} ms`
  return `${style('dim', clock())} <-- ${outcome} POST ${escapeControls(url)}${took}${why}`
}
