import type { Attempt } from '@wabakit/server/control-types'
import { loadRequest } from '../api/organization.ts'
import { Problem } from '../parts/status.tsx'
import { findTab, Tabs } from '../parts/tabs.tsx'
import { useRecord } from '../parts/use-record.ts'
import { CompareView } from './compare-view.tsx'
import { RequestView } from './request-view.tsx'
import { ResponseView } from './response-view.tsx'
import { SignatureView } from './signature-view.tsx'
import type { KnownDelivery } from './use-delivery.ts'

type AttemptViewProps = KnownDelivery & { readonly attempt: Attempt }

export const AttemptView = ({ delivery, attempts, attempt }: AttemptViewProps) => {
  const tabs = [
    { id: 'response', title: 'Response' },
    { id: 'request', title: 'Request' },
    { id: 'signature', title: 'Signature' },
    ...(attempts.length > 1 ? [{ id: 'compare', title: 'Compare' }] : []),
  ]
  const tab = findTab({ tabs })
  const { value: request, problem } = useRecord({ load: () => loadRequest(delivery.id, attempt.number) }, [
    delivery.id,
    attempt.number,
  ])
  return (
    <section class="attempt" aria-label={`Attempt ${attempt.number}`}>
      <Tabs label="Parts of the attempt" tabs={tabs} />
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'response' && <ResponseView attempt={attempt} />}
        {tab === 'request' && request !== undefined && <RequestView request={request} />}
        {tab === 'signature' && request !== undefined && (
          <SignatureView request={request} attempt={attempt} subscriptionId={delivery.subscriptionId} />
        )}
        {tab === 'compare' && <CompareView deliveryId={delivery.id} attempts={attempts} attempt={attempt} />}
        {tab !== 'response' && <Problem text={problem} />}
      </div>
    </section>
  )
}
