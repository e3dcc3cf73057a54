import type { TamperFault } from './delivery-fault.ts'

type SignedDelivery = {
  readonly headers: Headers
  readonly body: string
  /** The header with the signature or, in the profile `live`, with the registered credentials. */
  readonly credentialHeader: string | undefined
}

/** Changes the first character of a signature or of a credential, after its scheme. */
const changeCredential = (text: string): string => {
  const [, scheme = '', first = '', rest = ''] = /^(v1,|Bearer |Basic )?(.?)(.*)$/s.exec(text) ?? []
  return `${scheme}${first === 'A' ? 'B' : 'A'}${rest}`
}

/** Returns whether a delivery has the part that a fault changes: without a signature, there is no timestamp. */
export const canTamper = ({ part }: TamperFault, headers: Headers): boolean =>
  part !== 'timestamp' || headers.has('webhook-timestamp')

export const tamper = (
  { headers, body, credentialHeader }: SignedDelivery,
  fault: TamperFault,
): Pick<SignedDelivery, 'headers' | 'body'> => {
  const changed = new Headers(headers)
  switch (fault.part) {
    case 'body':
      return { headers, body: body.replace(/\}$/, ',"tampered":true}') }
    case 'signature':
      if (credentialHeader !== undefined)
        changed.set(credentialHeader, changeCredential(headers.get(credentialHeader) ?? ''))
      break
    case 'timestamp':
      if (headers.has('webhook-timestamp'))
        changed.set('webhook-timestamp', String(Number(headers.get('webhook-timestamp')) - 3_600))
      break
    case 'missing_header':
      changed.delete(fault.header ?? credentialHeader ?? 'webhook-signature')
      break
    default:
      fault.part satisfies never
  }
  return { headers: changed, body }
}
