const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 3_600_000

/** The time between two writes of counts, and the shortest span of a record, in milliseconds. */
export const shortestSpanMs = 10 * secondMs

/** The longest span of a record, in milliseconds. Its records stay until they are pruned. */
export const longestSpanMs = hourMs

/**
 * The spans of records, in milliseconds, each with the time for which its records stay before they are added to those
 * of the next span. The last hour can thus be shown by minutes, the last day by ten minutes, and the rest by hours.
 */
const spans = [
  { span: shortestSpanMs, keptMs: 2 * minuteMs },
  { span: minuteMs, keptMs: 70 * minuteMs },
  { span: 10 * minuteMs, keptMs: 25 * hourMs },
  { span: longestSpanMs, keptMs: Number.POSITIVE_INFINITY },
] as const

/** The start of the period of a span that contains a time. */
export const findPeriod = (time: number, span: number): number => Math.floor(time / span) * span

/** Records of one span that are added to those of a longer one. */
export type RollUp = {
  readonly span: number
  readonly intoSpan: number
  /** Records of earlier periods are added. It is the start of a longer period, so all records of a period are added. */
  readonly before: number
}

/** Returns what is due at a time, shortest span first. */
export const planRollUps = (now: number): RollUp[] =>
  spans.flatMap(({ span, keptMs }, index) => {
    const next = spans[index + 1]
    if (next === undefined) return []
    return { span, intoSpan: next.span, before: findPeriod(now - keptMs, next.span) }
  })
