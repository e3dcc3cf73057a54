import type { EndpointCheck } from '../check.ts'
import type { Examination } from '../examination.ts'
import { type Attempt, judgeRefused, sendEach } from '../judge.ts'
import { decodeKey, signDelivery } from '../payloads.ts'
import type { OutgoingRequest } from '../send.ts'

/** A genuine delivery that was never sent, as the basis of a forgery. */
type Genuine = {
  readonly id: string
  readonly timestamp: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** The signature in base64, without a version. */
  readonly signature: string
  readonly key: Buffer
}

/** A check that sends a forgery. By default, it is critical and has its group's clause. */
export type ForgedCheck = Omit<EndpointCheck, 'needs' | 'severity' | 'clause'> &
  Partial<Pick<EndpointCheck, 'severity' | 'clause'>>

export type Forgery = (genuine: Genuine, examination: Examination) => Partial<OutgoingRequest>

export const readGenuine = async (examination: Examination) => {
  const delivery = await examination.prepare()
  const { headers, timestamp, body } = await examination.sign(delivery)
  const key = decodeKey(examination.secret ?? '')
  const signature = signDelivery(key, { id: delivery.id, timestamp, body })
  return { delivery, genuine: { id: delivery.id, timestamp, body, headers, signature, key } }
}

/** Sends forgeries that must be refused. */
export const sendForgeries = (
  examination: Examination,
  forgeries: Readonly<Record<string, Forgery>>,
): Promise<Attempt[]> =>
  sendEach(forgeries, async (forge) => {
    const { delivery, genuine } = await readGenuine(examination)
    const forged = { headers: genuine.headers, body: genuine.body, ...forge(genuine, examination) }
    return { exchange: await examination.sendHostile(forged, delivery.subject), delivery }
  })

export const refuse = (
  forgeries: Readonly<Record<string, Forgery>>,
): Pick<EndpointCheck, 'expected' | 'requests' | 'run'> => ({
  expected: '4xx',
  requests: Object.keys(forgeries).length,
  run: async (examination) => judgeRefused(examination, await sendForgeries(examination, forgeries)),
})
