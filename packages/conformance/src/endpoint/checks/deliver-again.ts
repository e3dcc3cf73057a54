import { setTimeout as sleep } from 'node:timers/promises'
import type { Examination } from '../examination.ts'
import type { Attempt } from '../judge.ts'
import type { Delivery } from '../payloads.ts'
import { isAccepted, isLimited } from '../send.ts'

/** Number of times that an endpoint which is still busy is given more time. */
const maxBusy = 3

/**
 * Resends deliveries that a busy endpoint has refused, one after another, as a sender does. Returns those that it has then
 * accepted. One that it still refuses comes last.
 */
export const deliverAgain = async (
  { deliver, limits, signal }: Examination,
  refused: readonly Delivery[],
): Promise<readonly Delivery[]> => {
  const accepted: Delivery[] = []
  const waiting = [...refused]
  let busy = 0
  for (const delivery of waiting) {
    if (isAccepted(await deliver(delivery))) {
      accepted.push(delivery)
      continue
    }
    busy += 1
    if (busy > maxBusy || signal.aborted) break
    waiting.push(delivery)
    await sleep(limits.recoverMs, undefined, { signal }).catch(() => {})
  }
  return accepted
}

/**
 * Returns which attempts that were made at once remain to be judged. One that got a 429 or 503 is not, if it is accepted when it is sent
 * again alone: the endpoint limits how many it handles at the same time, and not their rate.
 */
export const leaveOutBusy = async (
  examination: Examination,
  attempts: readonly Attempt[],
): Promise<Attempt[]> => {
  const limited = attempts.flatMap(({ exchange, delivery }) =>
    isLimited(exchange) && delivery !== undefined ? [delivery] : [],
  )
  const accepted = await deliverAgain(examination, limited)
  return attempts.filter(
    ({ exchange, delivery }) =>
      !isLimited(exchange) || delivery === undefined || !accepted.includes(delivery),
  )
}
