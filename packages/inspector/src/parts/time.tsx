import { formatDay, formatFull, formatTime } from '../format/time.ts'

/** The track of a CSS grid that has room for a date and a time. */
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
