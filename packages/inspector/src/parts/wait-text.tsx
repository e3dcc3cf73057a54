import type { Wait } from '@wabakit/server/control-types'
import { Time } from './time.tsx'

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
