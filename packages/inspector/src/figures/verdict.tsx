import type { ListedSubscription } from '@wabakit/server/control-types'
import { health } from '../api/subscriptions.ts'
import { RecordLink } from '../components/record-link.tsx'
import { Time } from '../components/time.tsx'

/** Links to a list, and opens the endpoint if it is the only one. */
const toLink = (state: 'failing' | 'behind', [first, ...others]: readonly ListedSubscription[]) => ({
  view: 'subscriptions' as const,
  filters: { state },
  ...(first !== undefined && others.length === 0 && { id: first.id }),
})

const Since = ({ times }: { readonly times: readonly (string | null)[] }) => {
  const [first] = times.flatMap((time) => time ?? []).toSorted()
  return first === undefined ? null : (
    <>
      {' '}
      since <Time at={first} to="second" />
    </>
  )
}

/** One sentence: all enabled endpoints work, or how many fail, how many are behind, and since when. */
export const Verdict = () => {
  if (health.value === undefined) return <p class="headline">&nbsp;</p>
  const { count, failing, behind } = health.value
  const troubled = failing.length + behind.length
  if (count === 0) return null
  if (troubled === 0)
    return <p class="headline">{count === 1 ? 'The endpoint works.' : `All ${count} endpoints work.`}</p>
  const ofAll = ` of ${count} ${count === 1 ? 'endpoint' : 'endpoints'}`
  return (
    <p class="headline">
      {failing.length > 0 && (
        <RecordLink {...toLink('failing', failing)}>
          {failing.length}
          {ofAll} {failing.length === 1 ? 'fails' : 'fail'}
        </RecordLink>
      )}
      <Since times={failing.map(({ failingSince }) => failingSince)} />
      {failing.length > 0 && behind.length > 0 && '; '}
      {behind.length > 0 && (
        <RecordLink {...toLink('behind', behind)}>
          {behind.length}
          {failing.length === 0 && ofAll} {behind.length === 1 ? 'is' : 'are'} behind
        </RecordLink>
      )}
      <Since times={behind.map(({ behindSince }) => behindSince)} />.
    </p>
  )
}
