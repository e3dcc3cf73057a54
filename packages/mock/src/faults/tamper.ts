import type { TamperFault } from './delivery-fault.ts'

type SignedDelivery = { readonly headers: Headers; readonly body: string }

const changeFirstCharacter = (signature: string): string => {
  const [first = ''] = signature.slice('v1,'.length)
  return `v1,${first === 'A' ? 'B' : 'A'}${signature.slice('v1,'.length + 1)}`
}

export const tamper = ({ headers, body }: SignedDelivery, fault: TamperFault): SignedDelivery => {
  const changed = new Headers(headers)
  switch (fault.part) {
    case 'body':
      return { headers, body: body.replace(/\}$/, ',"tampered":true}') }
    case 'signature':
      changed.set('webhook-signature', changeFirstCharacter(headers.get('webhook-signature') ?? ''))
      break
    case 'timestamp':
      changed.set('webhook-timestamp', String(Number(headers.get('webhook-timestamp')) - 3_600))
      break
    case 'missing_header':
      changed.delete(fault.header ?? 'webhook-signature')
      break
    default:
      fault.part satisfies never
  }
  return { headers: changed, body }
}
