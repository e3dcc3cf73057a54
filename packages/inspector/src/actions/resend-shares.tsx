import { signal as createSignal, type Signal, useSignal } from '@preact/signals'
import { sendInParts } from '../api/organization.ts'
import { nameEndpoint, subscriptions } from '../api/subscriptions.ts'
import { useRecord } from '../components/use-record.ts'
import { formatCount } from '../format/numbers.ts'
import type { Params } from '../state/route.ts'

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

type Share = { readonly id: string; readonly count: number }

/** Counts the matching deliveries of each endpoint, the most affected first. For too many endpoints, counts all in one share. */
const countByEndpoint = async (
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

type UseSharesOptions = {
  /** Set if the numbers are needed. Otherwise nothing is counted, because the server has to read each delivery. */
  readonly isNeeded: boolean
  /** Identifies the query. When it changes, the deliveries are counted again. */
  readonly key?: string
}

/** Counts the matching deliveries by endpoint. `counted` is the number so far. */
export const useShares = (query: Params, { isNeeded, key = '' }: UseSharesOptions) => {
  const counted = useSignal<number | undefined>(0)
  const { value, problem } = useRecord(
    {
      load: async (signal) => {
        counted.value = 0
        return { key, shares: isNeeded ? await countByEndpoint(query, counted, signal) : undefined }
      },
    },
    [key, isNeeded],
  )
  return { shares: value?.key === key ? value.shares : undefined, counted: counted.value ?? 0, problem }
}

export const sum = (shares: readonly Share[]): number => shares.reduce((total, { count }) => total + count, 0)

export const ShareList = ({ shares }: { readonly shares: readonly Share[] }) => (
  <table>
    <caption class="sr-only">Deliveries by endpoint</caption>
    <tbody>
      {shares.map(({ id, count }) => (
        <tr key={id}>
          <th scope="row">{nameEndpoint(id)}</th>
          <td class="number">{formatCount(count)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
