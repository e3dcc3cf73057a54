import type { Finding } from '../report/run-checks.ts'
import type { Examination } from './examination.ts'
import { describeResponse } from './judge.ts'
import { type Exchange, isAccepted } from './send.ts'

/** Counts genuine deliveries that were accepted, those that were sent and accepted again, and requests that got a 5xx. */
const countResponses = (exchanges: readonly Exchange[]) => {
  const accepted = exchanges.filter(isAccepted)
  const identities = accepted.map(({ request: { headers, body } }) =>
    String(headers['webhook-id'] ?? Buffer.from(body)),
  )
  const first = new Set(identities).size
  return {
    first,
    again: accepted.length - first,
    failed: exchanges.filter(({ status = 0 }) => status >= 500).length,
  }
}

/**
 * Describes an endpoint that no longer responds to genuine deliveries, although it responds to others: what handles deliveries waits for
 * something that earlier requests have not released.
 */
export const findHeldResources = async ({
  exchanges,
  knowledge,
  send,
}: Examination): Promise<Finding | undefined> => {
  const [last] = exchanges.slice(-1)
  if (last === undefined || !last.timedOut || last.status !== undefined) return undefined
  const other = await send({ method: 'GET' })
  if (other.status === undefined) return undefined
  const { first, again, failed } = countResponses(knowledge.exchanges)
  return {
    verdict: 'fail',
    isPartial: true,
    title: 'Releases what a delivery has used, also after a duplicate or an error',
    expected: 'a response to each genuine delivery, whatever came before',
    observed: `since this check, no genuine delivery gets a response, although GET still gets ${describeResponse(other)}; before, ${first} deliveries and ${again} duplicates of them got a 2xx, and ${failed} requests a 5xx`,
    risk: 'Each duplicate, or each error, keeps a connection, a lock or a file. When none is left, every delivery waits in vain, until someone restarts the endpoint.',
    fix: 'Release connections, locks and files on every path, also after a duplicate, a refusal or an error: in a finally block. Limit the time that a request waits for one.',
  }
}
