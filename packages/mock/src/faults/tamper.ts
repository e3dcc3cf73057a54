import type { TamperFault } from './delivery-fault.ts'

type SignedDelivery = {
  readonly headers: Headers
  readonly body: string
  /** Names of the headers that prove who the sender is: the signature, and static credentials. */
  readonly credentials: readonly string[]
}

/** Changes the first character of a signature or of a credential, after its scheme. */
const changeCredential = (text: string): string => {
  const [, scheme = '', first = '', rest = ''] = /^(v1,|Bearer |Basic )?(.?)(.*)$/s.exec(text) ?? []
  return `${scheme}${first === 'A' ? 'B' : 'A'}${rest}`
}

/**
 * Changes every signature of a webhook: during a rotation, a webhook has two signatures, and receivers accept
 * either.
 */
const changeSignatures = (text: string): string => text.split(' ').map(changeCredential).join(' ')

const listMissing = ({ header }: TamperFault, credentials: readonly string[]): readonly string[] =>
  header === undefined ? credentials : [header]

/** Returns whether a delivery has the part that a fault changes. */
export const canTamper = (
  fault: TamperFault,
  { headers, credentials }: Pick<SignedDelivery, 'headers' | 'credentials'>,
): boolean => {
  switch (fault.part) {
    case 'body':
      return true
    case 'signature':
      return credentials.length > 0
    case 'timestamp':
      return headers.has('webhook-timestamp')
    default:
      return listMissing(fault, credentials).some((name) => headers.has(name))
  }
}

export const tamper = (
  { headers, body, credentials }: SignedDelivery,
  fault: TamperFault,
): Pick<SignedDelivery, 'headers' | 'body'> => {
  const changed = new Headers(headers)
  switch (fault.part) {
    case 'body':
      return { headers, body: body.replace(/\}$/, ',"tampered":true}') }
    case 'signature':
      for (const name of credentials) {
        const change = name === 'webhook-signature' ? changeSignatures : changeCredential
        changed.set(name, change(headers.get(name) ?? ''))
      }
      break
    case 'timestamp':
      changed.set('webhook-timestamp', String(Number(headers.get('webhook-timestamp')) - 3_600))
      break
    case 'missing_header':
      for (const name of listMissing(fault, credentials)) changed.delete(name)
      break
    default:
      fault.part satisfies never
  }
  return { headers: changed, body }
}
