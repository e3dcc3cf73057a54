import type { Timeline } from '@wabakit/server/control-types'

/** Lists all moments of a timeline at which something happened or ended, in Unix time in milliseconds. */
export const listTimes = ({ entries, deliveries, now }: Timeline): number[] => [
  Date.parse(now),
  ...deliveries.map(({ createdAt }) => Date.parse(createdAt)),
  ...entries.flatMap((entry) => {
    const at = Date.parse(entry.at)
    return entry.kind === 'attempt' ? [at, at + entry.attempt.durationMs] : [at]
  }),
]
