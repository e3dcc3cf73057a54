import type { Attempt } from '@wabakit/server/control-types'
import { formatDuration } from '../format/time.ts'
import { HttpStatus } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { BodyView } from './body-view.tsx'

/** Number of characters of a response body that the server keeps. */
const keptCharacters = 4_096

/** An endpoint's response, or the reason why there was none. */
export const ResponseView = ({ attempt }: { readonly attempt: Attempt }) => {
  const { status, error, responseBody, durationMs, startedAt } = attempt
  return (
    <>
      <p class="line">
        <HttpStatus status={status} />
        <span>
          after {formatDuration(durationMs)}, at <Time at={startedAt} />
        </span>
      </p>
      {error !== null && <p class="problem">{error}</p>}
      {responseBody ? (
        <BodyView text={responseBody} label="Body" />
      ) : (
        error === null && <p class="hint">The response had no body.</p>
      )}
      {(responseBody?.length ?? 0) >= keptCharacters && (
        <p class="hint">The server keeps the first 4,096 characters of a response body.</p>
      )}
    </>
  )
}
