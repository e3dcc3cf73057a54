import { sendInParts } from '../api/organization.ts'
import { useRecord } from '../components/use-record.ts'
import { formatCount } from '../format/numbers.ts'

/** Counts the deliveries of a subscription that are waiting or pending. */
const count = async (subscription: string, signal: AbortSignal): Promise<number> => {
  let total = 0
  const parts = sendInParts<{ readonly canceled: number }>(
    ['deliveries', 'cancel'],
    { subscription, dryRun: true },
    signal,
  )
  for await (const { canceled } of parts) total += canceled
  return total
}

/** A sentence with the number of deliveries that a change of a subscription affects. */
export const UnfinishedCount = ({ subscriptionId }: { readonly subscriptionId: string }) => {
  const { value, problem } = useRecord({ load: (signal) => count(subscriptionId, signal) })
  if (problem !== '') return <>{problem}</>
  if (value === undefined) return <>Counting its unfinished deliveries…</>
  const deliveries = value === 1 ? '1 delivery is' : `${formatCount(value)} deliveries are`
  return <strong>{value === 0 ? 'No delivery is' : deliveries} unfinished.</strong>
}
