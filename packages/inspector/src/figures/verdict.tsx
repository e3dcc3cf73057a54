import { health } from '../api/subscriptions.ts'
import { RecordLink } from '../components/record-link.tsx'
import { Time } from '../components/time.tsx'

/** One sentence: all enabled endpoints work, or how many fail, since when, and how many are behind. */
export const Verdict = () => {
  if (health.value === undefined) return <p class="headline">&nbsp;</p>
  const { count, failing, behind } = health.value
  const troubled = failing.length + behind.length
  if (count === 0) return null
  if (troubled === 0)
    return <p class="headline">{count === 1 ? 'The endpoint works.' : `All ${count} endpoints work.`}</p>
  const ofAll = ` of ${count} ${count === 1 ? 'endpoint' : 'endpoints'}`
  const [since] = failing.flatMap(({ failingSince }) => failingSince ?? []).toSorted()
  return (
    <p class="headline">
      {failing.length > 0 && (
        <RecordLink view="subscriptions" filters={{ state: 'failing' }}>
          {failing.length}
          {ofAll} {failing.length === 1 ? 'fails' : 'fail'}
        </RecordLink>
      )}
      {since !== undefined && (
        <>
          {' '}
          since <Time at={since} to="second" />
        </>
      )}
      {failing.length > 0 && behind.length > 0 && '; '}
      {behind.length > 0 && (
        <RecordLink view="subscriptions" filters={{ state: 'behind' }}>
          {behind.length}
          {failing.length === 0 && ofAll} {behind.length === 1 ? 'is' : 'are'} behind
        </RecordLink>
      )}
      .
    </p>
  )
}
