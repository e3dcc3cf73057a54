import type { Delivery, ListedSubscription, Page } from '@wabakit/server/control-types'
import { loadAttempts, sendOwn } from '../api/organization.ts'
import { findSubscription, isTroubled, shortenUrl } from '../api/subscriptions.ts'
import type { DialogControl } from '../components/dialog.tsx'
import { Time } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { formatAge, formatCount } from '../format/numbers.ts'
import { failing, navigate } from '../state/route.ts'

/** Number of endpoints that are named. */
const maxNamed = 3

/** Loads the last attempt of the newest delivery that has failed. */
const loadFailure = async (subscription: string) => {
  const query = { subscription, ...failing, order: 'newest_first', limit: 1 }
  const [delivery] = (await sendOwn<Page<Delivery>>(['deliveries'], { query })).items
  return delivery && (await loadAttempts(delivery.id)).at(-1)
}

const Failing = ({ id, url, failingSince, onClose }: ListedSubscription & DialogControl) => {
  const { value: attempt } = useRecord({ load: () => loadFailure(id) })
  const open = (): void => {
    onClose()
    navigate('subscriptions', { id })
  }
  return (
    <li>
      {shortenUrl(url)} still fails
      {attempt !== undefined && (
        <>
          : got {attempt.status ?? 'no response'} at <Time at={attempt.startedAt} to="second" />
        </>
      )}
      {attempt === undefined && failingSince !== null && (
        <>
          , since <Time at={failingSince} to="second" />
        </>
      )}
      . Fix this first:{' '}
      <button type="button" class="link" onClick={open}>
        what to do<span class="sr-only"> about {shortenUrl(url)}</span>
      </button>
    </li>
  )
}

const Behind = ({ url, oldestDueAt }: ListedSubscription) => (
  <li>
    {shortenUrl(url)} is behind
    {oldestDueAt !== null && `: its oldest due delivery has waited ${formatAge(oldestDueAt)}`}.
  </li>
)

type StillFailingProps = DialogControl & { readonly ids: readonly string[] }

/** Warns before a resend to endpoints that fail or are behind. It does not prevent the resend, which may come after a repair. */
export const StillFailing = ({ ids, onClose }: StillFailingProps) => {
  const troubled = ids.flatMap((id) => findSubscription(id) ?? []).filter(isTroubled)
  if (troubled.length === 0) return null
  return (
    <div class="caution" role="status">
      <ul>
        {troubled
          .slice(0, maxNamed)
          .map((each) =>
            each.state === 'failing' ? (
              <Failing key={each.id} {...each} onClose={onClose} />
            ) : (
              <Behind key={each.id} {...each} />
            ),
          )}
        {troubled.length > maxNamed && (
          <li>{formatCount(troubled.length - maxNamed)} more fail or are behind.</li>
        )}
      </ul>
    </div>
  )
}
