import { signal as createSignal, type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { sendInParts } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { nameEndpoint, subscriptions } from '../api/subscriptions.ts'
import { Button } from '../components/button.tsx'
import { Dialog, type DialogControl, openDialog } from '../components/dialog.tsx'
import { Facts } from '../components/facts.tsx'
import { LoadProblem } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { nameChoice } from '../format/choices.ts'
import type { Filter } from '../list/list-definition.ts'
import type { Params } from '../state/route.ts'
import { StillFailing } from './still-failing.tsx'

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

/** Resends or counts the matching deliveries in batches. After each batch, `total` is the number so far. */
export const resend = async (
  body: Readonly<Record<string, unknown>>,
  total: Signal<number | undefined>,
  signal?: AbortSignal,
): Promise<number> => {
  let count = 0
  const parts = sendInParts<{ readonly resent: number }>(['deliveries', 'resend'], body, signal)
  for await (const { resent } of parts) {
    count += resent
    total.value = count
  }
  return count
}

/** Maximum number of endpoints for which the deliveries are counted separately. Each takes at least one request. */
const maxEndpoints = 50

export type Share = { readonly id: string; readonly count: number }

/** Counts the matching deliveries of each endpoint, the most affected first. For too many endpoints, counts all in one share. */
export const countByEndpoint = async (
  query: Params,
  total: Signal<number | undefined>,
  signal: AbortSignal,
): Promise<Share[]> => {
  const all = subscriptions.value.map(({ id }) => id)
  const ids = query.subscription === undefined ? all : [query.subscription]
  if (ids.length > maxEndpoints)
    return [{ id: '', count: await resend({ ...query, dryRun: true }, total, signal) }]
  const shares: Share[] = []
  for (const id of ids) {
    const counted = createSignal<number | undefined>(0)
    const count = await resend({ ...query, subscription: id, dryRun: true }, counted, signal)
    if (count > 0) shares.push({ id, count })
    total.value = (total.value ?? 0) + count
  }
  return shares.toSorted((left, right) => right.count - left.count)
}

export const ShareList = ({ shares }: { readonly shares: readonly Share[] }) => (
  <table>
    <caption class="sr-only">Deliveries by endpoint</caption>
    <tbody>
      {shares.map(({ id, count }) => (
        <tr key={id}>
          <th scope="row">{nameEndpoint(id)}</th>
          <td class="number">{count}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Confirmation = ({ query, filters, onClose }: Matching & DialogControl) => {
  const counted = useSignal<number | undefined>(0)
  const resent = useSignal<number | undefined>(undefined)
  const { value: shares, problem } = useRecord({
    load: (signal) => {
      counted.value = 0
      return countByEndpoint(query, counted, signal)
    },
  })
  const total = shares?.reduce((sum, { count }) => sum + count, 0)
  const confirm = async (): Promise<void> => {
    resent.value = 0
    await perform(
      () => resend(query, resent),
      (done) => `${done} resent.`,
    )
    onClose()
  }
  const isRunning = resent.value !== undefined
  const text = isRunning
    ? `${resent.value} of ${total} resent so far…`
    : total === undefined
      ? `Counting… ${counted.value} so far`
      : total === 0
        ? 'None of the matching deliveries can be resent now:'
        : `${total} of the matching deliveries can be resent:`
  return (
    <Dialog title="Resend all matching deliveries" onClose={onClose}>
      <LoadProblem text={problem} />
      <p role="status">{text}</p>
      <Facts
        facts={{
          ...Object.fromEntries(filters.flatMap((filter) => describeFilter(filter, query))),
          'Payload contains': query.text,
        }}
      />
      {shares !== undefined && shares.length > 1 && <ShareList shares={shares} />}
      <StillFailing ids={shares?.map(({ id }) => id) ?? []} onClose={onClose} />
      {query.status === undefined && (
        <p>Any that have succeeded are resent too. To leave these out, choose a status in the list first.</p>
      )}
      <p class="quiet">
        Each delivery keeps its webhook-id, so a receiver that has already handled it does not handle it
        again. Left out are waiting deliveries, which follow on their own, and those that were not attempted
        since they were created or resent, have an attempt in progress, or belong to a disabled subscription.
      </p>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={!total || isRunning} onClick={confirm}>
          {!total ? 'Resend' : `Resend ${total}`}
        </Button>
      </footer>
    </Dialog>
  )
}

export const ResendMatching = (matching: Matching) => (
  <Button icon="resend" onClick={() => openDialog((close) => <Confirmation {...matching} onClose={close} />)}>
    Resend all matching deliveries…
  </Button>
)
