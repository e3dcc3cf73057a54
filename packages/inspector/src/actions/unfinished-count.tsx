import { sendOwn } from '../api/organization.ts'
import { useRecord } from '../parts/use-record.ts'

type Part = { readonly canceled: number; readonly nextCursor?: string }

/** Counts the deliveries of a subscription that are waiting or pending. */
const count = async (subscription: string): Promise<number> => {
  let total = 0
  for (let cursor: string | undefined; ; ) {
    const part = await sendOwn<Part>(['deliveries', 'cancel'], {
      body: { subscription, dryRun: true, cursor },
    })
    total += part.canceled
    cursor = part.nextCursor
    if (cursor === undefined) return total
  }
}

/** A sentence with the number of deliveries that a change of a subscription affects. */
export const UnfinishedCount = ({ subscriptionId }: { readonly subscriptionId: string }) => {
  const { value, problem } = useRecord({ load: () => count(subscriptionId) })
  if (problem !== '') return <>{problem}</>
  if (value === undefined) return <>Counting its unfinished deliveries…</>
  const deliveries = value === 1 ? '1 delivery is' : `${value.toLocaleString('en-US')} deliveries are`
  return <strong>{value === 0 ? 'No delivery is' : deliveries} unfinished.</strong>
}
