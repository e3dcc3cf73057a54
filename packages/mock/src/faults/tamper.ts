import { changeParameter } from '../url-parameter.ts'
import type { TamperFault } from './delivery-fault.ts'

type SignedDelivery = {
  readonly url: string
  readonly headers: Headers
  readonly body: string
  /** Name of the parameter of the URL that proves who the sender is. */
  readonly parameter: string
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

/**
 * Changes the part of a delivery that a fault names. Returns `undefined` if the delivery does not have this part,
 * or its body is no JSON object.
 */
export const tamper = (
  { url, headers, body, parameter, credentials }: SignedDelivery,
  { part, header }: TamperFault,
) => {
  if (part === 'body') {
    const extended = body.replace(/\}$/, ',"tampered":true}')
    return extended === body ? undefined : { url, headers, body: extended }
  }
  const affected = {
    signature: credentials,
    timestamp: ['webhook-timestamp'],
    missing_header: header === undefined ? credentials : [header],
  }
  const changed = new Headers(headers)
  const names = affected[part].filter((name) => headers.has(name))
  for (const name of names) {
    const value = headers.get(name) ?? ''
    if (part === 'missing_header') changed.delete(name)
    else if (part === 'timestamp') changed.set(name, String(Number(value) - 3_600))
    else changed.set(name, name === 'webhook-signature' ? changeSignatures(value) : changeCredential(value))
  }
  const isUrlChanged = part === 'signature' || (part === 'missing_header' && header === undefined)
  const change = (token: string) => (part === 'signature' ? changeCredential(token) : undefined)
  const changedUrl = isUrlChanged ? changeParameter(url, { parameter, change }) : url
  return names.length === 0 && changedUrl === url ? undefined : { url: changedUrl, headers: changed, body }
}
