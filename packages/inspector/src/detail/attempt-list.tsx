import type { Attempt } from '@wabakit/server/control-types'
import { formatDuration } from '../format/time.ts'
import { HttpStatus } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { setParams } from '../state/route.ts'

type AttemptListProps = { readonly attempts: readonly Attempt[]; readonly selected: Attempt }

/** The attempts of a delivery, newest first. */
export const AttemptList = ({ attempts, selected }: AttemptListProps) => (
  <section class="attempts" aria-label="Attempts">
    <h3>{attempts.length === 1 ? 'Attempt' : `${attempts.length} attempts`}</h3>
    <ul>
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.number}>
          <button
            type="button"
            aria-current={attempt.number === selected.number}
            onClick={() => setParams({ attempt: String(attempt.number) })}
          >
            <span class="number">#{attempt.number}</span>
            <HttpStatus status={attempt.status} />
            <span class="error">{attempt.error ?? (attempt.deferred ? 'deferred' : '')}</span>
            <span class="quiet">{formatDuration(attempt.durationMs)}</span>
            <Time at={attempt.startedAt} />
          </button>
        </li>
      ))}
    </ul>
  </section>
)
