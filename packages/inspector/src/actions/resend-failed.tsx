import { useSignal } from '@preact/signals'
import { nameEndpoint } from '../api/subscriptions.ts'
import { Button } from '../components/button.tsx'
import { Choice } from '../components/choice.tsx'
import { type DialogControl, openDialog } from '../components/dialog.tsx'
import { Facts } from '../components/facts.tsx'
import { LoadProblem } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { formatCount } from '../format/numbers.ts'
import { getNow } from '../state/now.ts'
import type { Params } from '../state/route.ts'
import { ResendDialog, useResend } from './resend-dialog.tsx'
import { ShareList, sum, useShares } from './resend-shares.tsx'

const notDelivered = 'pending,exhausted,skipped'

const periods = [
  { value: 'hour', label: 'the last hour', title: 'Events of the last hour', ms: 3_600_000 },
  { value: 'day', label: 'the last day', title: 'Events of the last day', ms: 86_400_000 },
  { value: 'week', label: 'the last week', title: 'Events of the last week', ms: 604_800_000 },
  { value: '', label: 'any time', title: 'All events that are stored' },
]
const range = { value: 'range', label: 'the range shown', title: 'Events of the range that the page shows' }

type Offer = {
  /** The id of an endpoint. If unset, the deliveries to all endpoints are offered. */
  readonly subscription: string | undefined
  /** The period that the page shows, as the control API takes it: a window of the charts, or a range of times. */
  readonly shown: Params
}

const ResendFailed = ({ subscription, shown, onClose }: Offer & DialogControl) => {
  const isRange = Boolean(shown.from || shown.before)
  const period = useSignal(isRange ? range.value : (shown.window ?? ''))
  const isAll = useSignal(false)
  const resending = useResend()
  const { ms } = periods.find(({ value }) => value === period.value) ?? {}
  const times =
    period.value === range.value
      ? { from: shown.from || undefined, before: shown.before || undefined }
      : { from: ms === undefined ? ms : new Date(getNow() - ms).toISOString() }
  const select = (status: string) => ({ subscription, status, ...times })
  const key = period.value
  const isAsking = resending.results === undefined
  const missing = useShares(select(notDelivered), { key, isNeeded: isAsking })
  const delivered = useShares(select('delivered'), { key, isNeeded: isAsking && isAll.value })
  const counted = isAll.value ? [missing, delivered] : [missing]
  const counts = new Map<string, number>()
  for (const { id, count } of counted.flatMap((each) => each.shares ?? []))
    counts.set(id, (counts.get(id) ?? 0) + count)
  const shares = [...counts].map(([id, count]) => ({ id, count }))
  const endpoints = subscription === undefined ? [...counts.keys()] : [subscription]
  const toChoice = (all: boolean, text: string, { shares }: typeof missing) => (
    <label class="line">
      <input type="radio" name="which" checked={isAll.value === all} onChange={() => (isAll.value = all)} />
      <span>
        {text}
        {(isAll.value || !all) && `: ${shares === undefined ? 'counting…' : formatCount(sum(shares))}`}
      </span>
    </label>
  )
  return (
    <ResendDialog
      title={`Resend to ${subscription ? nameEndpoint(subscription) : 'all endpoints'}`}
      query={select(isAll.value ? `${notDelivered},delivered` : notDelivered)}
      total={counted.every((each) => each.shares) ? sum(shares) : undefined}
      {...{ endpoints, resending, onClose }}
    >
      <LoadProblem text={missing.problem || delivered.problem} />
      <div class="line">
        <span>Events of</span>
        <Choice
          label="Events of"
          value={period.value}
          choices={isRange ? [range, ...periods] : periods}
          onChange={(chosen) => (period.value = chosen)}
        />
      </div>
      {period.value === range.value && (
        <Facts
          facts={{
            From: shown.from && <Time at={shown.from} />,
            Before: shown.before && <Time at={shown.before} />,
          }}
        />
      )}
      <fieldset class="several" aria-label="Which deliveries">
        {toChoice(false, 'Failed or skipped deliveries', missing)}
        {toChoice(true, 'Also the delivered ones', delivered)}
      </fieldset>
      {shares.length > 1 && <ShareList shares={shares} />}
      <p class="quiet">
        Each keeps its webhook-id, so a receiver that has handled it does not handle it again. Waiting
        deliveries are not counted: they follow on their own.
      </p>
    </ResendDialog>
  )
}

type ResendFailedButtonProps = Offer & {
  /** The end of the label: what it resends to. */
  readonly scope: 'here' | 'to this endpoint' | 'to all endpoints'
  readonly isDisabled?: boolean
}

/** A button that offers to resend what has not been delivered, and then shows what became of it. */
export const ResendFailedButton = ({ scope, isDisabled = false, ...offer }: ResendFailedButtonProps) => (
  <Button
    icon="resend"
    disabled={isDisabled}
    onClick={() => openDialog((close) => <ResendFailed {...offer} onClose={close} />)}
  >
    Resend failed<span class="scope"> {scope}</span>…
  </Button>
)
