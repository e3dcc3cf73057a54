const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 3_600_000

/** The time between two writes of counts, and the shortest span of a record, in milliseconds. */
export const shortestSpanMs = 10 * secondMs

/** The longest span of a record, in milliseconds. Its records stay until they are pruned. */
export const longestSpanMs = hourMs

/**
 * The spans of records, in milliseconds, and how long the records of each are kept before they are added to
 * the records of the next span. The last hour can thus be shown in minutes, the last day in steps of ten
 * minutes, and the rest in hours.
 */
const spans = [
  { span: shortestSpanMs, keptMs: 2 * minuteMs },
  { span: minuteMs, keptMs: 70 * minuteMs },
  { span: 10 * minuteMs, keptMs: 25 * hourMs },
  { span: longestSpanMs, keptMs: Number.POSITIVE_INFINITY },
] as const

/** Returns the start of the period of length `span` that contains a time. */
export const findPeriod = (time: number, span: number): number => Math.floor(time / span) * span

/** Records of one span that are added to the records of a longer one. */
export type RollUp = {
  readonly span: number
  readonly intoSpan: number
  /**
   * Adds the records of periods before this time. The time is the start of a period of `intoSpan`, so a longer period
   * is always rolled up as a whole.
   */
  readonly before: number
}

/** Returns the roll-ups that are due at a given time, shortest span first. */
export const planRollUps = (now: number): RollUp[] =>
  spans.flatMap(({ span, keptMs }, index) => {
    const next = spans[index + 1]
    if (next === undefined) return []
    return { span, intoSpan: next.span, before: findPeriod(now - keptMs, next.span) }
  })
