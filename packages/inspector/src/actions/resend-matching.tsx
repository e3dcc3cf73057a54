import type { ComponentChildren } from 'preact'
import { Button } from '../components/button.tsx'
import { type DialogControl, openDialog } from '../components/dialog.tsx'
import { Facts } from '../components/facts.tsx'
import { LoadProblem } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { nameChoice } from '../format/choices.ts'
import { formatCount } from '../format/numbers.ts'
import type { Filter } from '../list/list-definition.ts'
import { ResendDialog, useResend } from './resend-dialog.tsx'
import { ShareList, sum, useShares } from './resend-shares.tsx'

type Query = Readonly<Record<string, string>>

type Matching = { readonly query: Query; readonly filters: readonly Filter[] }

/** Describes a filter with the labels of its field in the list. */
const describeFilter = (filter: Filter, query: Query): [name: string, value: ComponentChildren][] => {
  if (filter.kind === 'time') {
    const describeTime = (name: string) => query[name] && <Time at={query[name]} />
    return [
      [`${filter.label} from`, describeTime(filter.from)],
      [`${filter.label} before`, describeTime(filter.before)],
    ]
  }
  const value = query[filter.key]
  const choices = filter.kind === 'choice' ? filter.choices() : []
  return [[filter.label, value && nameChoice(choices, value)]]
}

const Confirmation = ({ query, filters, onClose }: Matching & DialogControl) => {
  const resending = useResend()
  const { shares, counted, problem } = useShares(query, { isNeeded: resending.results === undefined })
  const total = shares && sum(shares)
  const text =
    total === undefined
      ? `Counting… ${formatCount(counted)} so far`
      : total === 0
        ? 'None of the matching deliveries can be resent now:'
        : `${formatCount(total)} of the matching deliveries can be resent:`
  return (
    <ResendDialog
      title="Resend all matching deliveries"
      endpoints={shares?.map(({ id }) => id) ?? []}
      {...{ resending, query, total, onClose }}
    >
      <LoadProblem text={problem} />
      <p role="status">{text}</p>
      <Facts
        facts={{
          ...Object.fromEntries(filters.flatMap((filter) => describeFilter(filter, query))),
          'Payload contains': query.text,
        }}
      />
      {shares !== undefined && shares.length > 1 && <ShareList shares={shares} />}
      {query.status === undefined && (
        <p>Any that have succeeded are resent too. To leave these out, choose a status in the list first.</p>
      )}
      <p class="quiet">
        Each delivery keeps its webhook-id, so a receiver that has already handled it does not handle it
        again. Left out are waiting deliveries, which follow on their own, and those that were not attempted
        since they were created or resent, have an attempt in progress, or belong to a disabled subscription.
      </p>
    </ResendDialog>
  )
}

export const ResendMatching = (matching: Matching) => (
  <Button icon="resend" onClick={() => openDialog((close) => <Confirmation {...matching} onClose={close} />)}>
    Resend all matching deliveries…
  </Button>
)
