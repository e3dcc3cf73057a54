import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import type { Filter } from '../list/list-definition.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, type DialogControl, openDialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Problem } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { useRecord } from '../parts/use-record.ts'

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
  return [[filter.label, choices.find((choice) => choice.value === value)?.label ?? value]]
}

type Part = { readonly resent: number; readonly nextCursor?: string }

/** Resends or counts the matching deliveries in batches. After each batch, `total` is the number so far. */
const resend = async (
  body: Readonly<Record<string, unknown>>,
  total: Signal<number | undefined>,
): Promise<number> => {
  let count = 0
  for (let cursor: string | undefined; ; ) {
    const part: Part = await sendOwn(['deliveries', 'resend'], { body: { ...body, cursor } })
    count += part.resent
    total.value = count
    cursor = part.nextCursor
    if (cursor === undefined) return count
  }
}

const Confirmation = ({ query, filters, onClose }: Matching & DialogControl) => {
  const counted = useSignal<number | undefined>(0)
  const resent = useSignal<number | undefined>(undefined)
  const { value: total, problem } = useRecord({ load: () => resend({ ...query, dryRun: true }, counted) })
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
    <Dialog title="Resend all that match" onClose={onClose}>
      <Problem text={problem} />
      <p role="status">{text}</p>
      <Facts
        facts={{
          ...Object.fromEntries(filters.flatMap((filter) => describeFilter(filter, query))),
          'Payload contains': query.text,
        }}
      />
      <p class="quiet">
        Each delivery keeps its webhook-id, so a receiver that has already handled it does not handle it
        again. Deliveries that are waiting in a lane, have an attempt in progress or belong to a disabled
        subscription are not resent.
      </p>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={!total || isRunning} onClick={confirm}>
          {!total ? 'Resend' : `Resend all ${total} that match`}
        </Button>
      </footer>
    </Dialog>
  )
}

/** A button that counts the deliveries that match the filters, and resends them after confirmation. */
export const ResendMatching = (matching: Matching) => (
  <Button icon="resend" onClick={() => openDialog((close) => <Confirmation {...matching} onClose={close} />)}>
    Resend all that match
  </Button>
)
