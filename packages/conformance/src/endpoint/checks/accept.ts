import type { EndpointCheck } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { judgeAccepted, sendEach } from '../judge.ts'
import { buildEvent } from '../payloads.ts'
import type { Exchange } from '../send.ts'

/** Returns the field `summary` with this recap, and lists that are not empty. */
export const writeRecap = (recap: string) => ({
  summary: { recap, keyPoints: ['Order 1042'], nextSteps: ['Send the link'] },
})

/** Creates a function that sends a summary, with changed fields or a different serialization. */
export const sendSummary =
  (write: (event: Record<string, unknown>) => object | string, split?: (body: Buffer) => Buffer[]) =>
  async (examination: Examination): Promise<Exchange> => {
    const { subject } = await examination.prepare('CALL_AI_SUMMARY')
    const delivery = buildDelivery(examination, write(buildEvent('CALL_AI_SUMMARY', subject)), subject)
    return examination.deliver(delivery, { parts: split?.(delivery.body) })
  }

/** Creates a check whose deliveries must all be accepted. */
export const accept = (
  deliveries: Readonly<Record<string, (examination: Examination) => Promise<Exchange>>>,
): Pick<EndpointCheck, 'expected' | 'requests' | 'run'> => ({
  expected: '2xx',
  requests: Object.keys(deliveries).length,
  run: async (examination) =>
    judgeAccepted(await sendEach(deliveries, async (send) => ({ exchange: await send(examination) }))),
})
