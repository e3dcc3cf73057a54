import type { EventName } from '@wabakit/contract'
import { buildDelivery, type Examination } from './examination.ts'
import { buildEvent, decodeKey, signContent } from './payloads.ts'
import { isAccepted } from './send.ts'

type Signed = {
  readonly secret: string
  readonly key: Buffer
  /** The part of the signed content before the body: `id.timestamp.` */
  readonly head: string
  readonly timestamp: string
  readonly body: string
}

/** Writes JSON with the spaces that Python writes by default. */
const writeSpaced = (body: string): string =>
  JSON.stringify(JSON.parse(body), null, 1)
    .replace(/\n */g, ' ')
    .replace(/([[{]) | ([\]}])/g, '$1$2')

const sortKeys = (body: string): string =>
  JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).sort(([a], [b]) => (a < b ? -1 : 1))))

/** Signatures that an endpoint expects instead of the right one, by what it makes of a delivery. */
const mistakes: Readonly<Record<string, (signed: Signed) => string>> = {
  'with the text of the secret: decode what follows whsec_ as base64': ({ secret, head, body }) =>
    signContent(secret, head, body),
  'with the text that follows whsec_: decode it as base64': ({ secret, head, body }) =>
    signContent(secret.replace(/^whsec_/, ''), head, body),
  'with the whole secret, decoded as base64: remove whsec_ first': ({ secret, head, body }) =>
    signContent(Buffer.from(secret, 'base64'), head, body),
  'in hexadecimal: write the digest as base64': ({ key, head, body }) =>
    Buffer.from(signContent(key, head, body), 'base64').toString('hex'),
  'without its id: sign `id.timestamp.body`': ({ key, timestamp, body }) =>
    signContent(key, `${timestamp}.`, body),
  'by its body alone: sign `id.timestamp.body`': ({ key, body }) => signContent(key, body),
  'after its body was parsed and written again: sign the bytes as they arrived': ({ key, head, body }) =>
    signContent(key, head, writeSpaced(body)),
  'after the keys of its body were sorted: sign the bytes as they arrived': ({ key, head, body }) =>
    signContent(key, head, sortKeys(body)),
}

/** Returns how a delivery must be signed, wrongly, for an endpoint that refuses those of the sender to accept it. */
export const findMistakenSignature = async (
  examination: Examination,
  name: EventName,
): Promise<string | undefined> => {
  const { secret, ids, random, sign, send } = examination
  if (secret === undefined) return undefined
  const isAcceptedIfSigned = async (write: (signed: Signed) => string): Promise<boolean> => {
    const subject = ids.createSubject()
    const { delivery, timestamp, headers, body } = await sign(
      buildDelivery(examination, buildEvent(name, subject), subject),
    )
    const head = `${delivery.id}.${timestamp}.`
    const signature = write({ secret, key: decodeKey(secret), head, timestamp, body: body.toString() })
    return isAccepted(await send({ headers: { ...headers, 'webhook-signature': `v1,${signature}` }, body }))
  }
  for (const [mistake, write] of Object.entries(mistakes)) {
    if (!(await isAcceptedIfSigned(write))) continue
    // An endpoint that was only starting, or verifies nothing, accepts one of these, too.
    const isAcceptedOtherwise =
      (await isAcceptedIfSigned(({ key, head, body }) => signContent(key, head, body))) ||
      (await isAcceptedIfSigned(({ head, body }) => signContent(random.bytes(32), head, body)))
    return isAcceptedOtherwise ? undefined : mistake
  }
  return undefined
}
