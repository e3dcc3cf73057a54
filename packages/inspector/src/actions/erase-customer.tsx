import { sendInParts } from '../api/organization.ts'
import { Confirmation, openDialog } from '../components/dialog.tsx'
import { Facts } from '../components/facts.tsx'
import { LoadProblem } from '../components/status.tsx'
import { useRecord } from '../components/use-record.ts'
import { showNumber } from '../format/mask.ts'
import { formatCount } from '../format/numbers.ts'
import { navigate } from '../state/route.ts'
import { forgetRecent } from './search.tsx'

type Counts = { readonly calls: number; readonly participants: number; readonly events: number }

/** Erases a customer, or counts what an erasure would delete. */
const erase = async (
  customerNumber: string,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal?: AbortSignal },
): Promise<Counts> => {
  const total = { calls: 0, participants: 0, events: 0 }
  for await (const part of sendInParts<Counts>(['erasures'], { customerNumber, dryRun }, signal)) {
    total.calls += part.calls
    total.participants += part.participants
    total.events += part.events
  }
  return total
}

const WhatIsErased = ({ number }: { readonly number: string }) => {
  const { value, problem } = useRecord({ load: (signal) => erase(number, { dryRun: true, signal }) })
  if (value === undefined)
    return problem === '' ? <p role="status">Counting…</p> : <LoadProblem text={problem} />
  return (
    <Facts
      facts={{
        'Calls, with their summaries': formatCount(value.calls),
        'Memberships of groups': formatCount(value.participants),
        'Events, with their deliveries': formatCount(value.events),
      }}
    />
  )
}

export const askToErase = (number: string): void =>
  openDialog((close) => (
    <Confirmation
      title="Erase"
      object={showNumber(number)}
      done="Erased."
      onConfirm={async () => {
        await erase(number, { dryRun: false })
        forgetRecent()
        navigate('calls')
      }}
      onClose={close}
    >
      <p>This erases what is stored about {showNumber(number)}. It cannot be undone:</p>
      <WhatIsErased number={number} />
      <p class="quiet">Webhooks that are not delivered yet are not delivered any more.</p>
    </Confirmation>
  ))
