import type { Attempt, Delivery } from '@wabakit/server/control-types'
import { Icon } from '../parts/icon.tsx'
import { RecordLink } from '../parts/record-link.tsx'
import { WaitText } from '../parts/wait-text.tsx'

type VerdictProps = { readonly delivery: Delivery; readonly attempt: Attempt | undefined }

/** Explains the likely cause of a failed attempt, its remedy, and why the delivery is waiting. */
export const Verdict = ({ delivery, attempt }: VerdictProps) => {
  const { wait, subscriptionId, attempts } = delivery
  const diagnosis = attempt?.diagnosis
  const isOld = attempt !== undefined && attempt.number < attempts
  if (!diagnosis && !wait) return null
  return (
    <section class={`verdict ${diagnosis ? 'bad' : ''}`} aria-label="Why">
      {diagnosis && (
        <>
          {isOld && (
            <p>
              About attempt {attempt.number} of {attempts}, which is not the last:
            </p>
          )}
          <h3>
            <Icon name="warning" /> {diagnosis.text}
          </h3>
          <p>
            {diagnosis.remedy}{' '}
            <RecordLink view="subscriptions" id={subscriptionId}>
              Open the subscription
            </RecordLink>
          </p>
        </>
      )}
      {wait && (
        <p class="wait">
          <WaitText wait={wait} />
        </p>
      )}
    </section>
  )
}
