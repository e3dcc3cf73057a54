import type { Wait } from '@wabakit/server/control-types'
import { formatDay, formatFull, formatTime } from '../format/time.ts'

/** A CSS grid track that is wide enough for a date and a time. */
export const timeWidth = 'var(--time)'

/** A time of day, with the date if it is not today. */
export const Time = ({ at }: { readonly at: string }) => {
  const day = formatDay(at)
  const [seconds, milliseconds] = formatTime(at).split('.')
  return (
    <time dateTime={at} title={formatFull(at)}>
      {day !== '' && <span class="day">{day} </span>}
      <span class="clock">
        {seconds}
        <span class="milliseconds">.{milliseconds}</span>
      </span>
    </time>
  )
}

/** The reason why a delivery is waiting. Times are local, unlike the UTC times in the server's text. */
export const WaitText = ({ wait }: { readonly wait: Wait }) => {
  const at = 'nextAttemptAt' in wait ? wait.nextAttemptAt : null
  if (at === null) return <>{wait.text}</>
  // The server's sentence ends with a time in UTC.
  const [before] = wait.text.split(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC\.$/)
  return before === wait.text ? (
    wait.text
  ) : (
    <>
      {before}
      <Time at={at} />.
    </>
  )
}
