import type { Wait } from '@wabakit/server/control-types'
import { formatDay, formatFull, formatTime } from '../format/time.ts'

/** The size of a CSS grid track for a date and a time. */
export const timeWidth = 'var(--time)'

type TimeProps = {
  readonly at: string
  /** Leaves out the milliseconds. */
  readonly to?: 'second' | undefined
}

/** A time of day. If the time is not today, its date comes first. */
export const Time = ({ at, to }: TimeProps) => {
  const day = formatDay(at)
  const [seconds, milliseconds] = formatTime(at).split('.')
  return (
    <time dateTime={at} title={formatFull(at)}>
      {day !== '' && <span class="day">{day} </span>}
      <span class="clock">
        {seconds}
        {to !== 'second' && <span class="milliseconds">.{milliseconds}</span>}
      </span>
    </time>
  )
}

type TextWithTimeProps = Pick<TimeProps, 'to'> & { readonly text: string; readonly at: string | null }

/** A sentence of the server that ends with a time, with a local time instead of the one in UTC. */
export const TextWithTime = ({ text, at, to }: TextWithTimeProps) => {
  const [before = '', end] = text.split(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC(?=\.?$)/)
  if (at === null || end === undefined) return <>{text}</>
  return (
    <>
      {before}
      <Time at={at} to={to} />
      {end}
    </>
  )
}

/** The server's explanation of why a delivery is unfinished, or was skipped. */
export const WaitText = ({ wait }: { readonly wait: Wait }) => (
  <TextWithTime text={wait.text} at={'nextAttemptAt' in wait ? wait.nextAttemptAt : null} />
)
