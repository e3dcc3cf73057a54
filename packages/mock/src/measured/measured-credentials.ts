import { findScheme, type MeasuredProfile } from '@wabakit/contract/profile'
import type { LoadedDelivery } from '@wabakit/core'
import type { Choose } from './choose-value.ts'

type Headers = Readonly<Record<string, string>>

type Registration = Pick<LoadedDelivery, 'subscription'> & {
  /** The names of the registered headers. */
  readonly names: readonly string[]
}

/** A placeholder for credentials that the service adds itself. A profile does not contain their values. */
const unregistered = {
  Bearer: 'Bearer not-registered',
  Basic: `Basic ${btoa('not:registered')}`,
  other: 'not-registered',
} as const

/** Sends, changes or leaves out registered headers, and sends credentials of the service's own, as was measured. */
export const createMeasuredCredentials = ({
  deliveries,
  choose,
}: {
  readonly deliveries: MeasuredProfile['deliveries']
  readonly choose: Choose
}) => {
  const sendsRegistered = deliveries.registeredHeaders?.values.some(({ value }) => value !== 'never')

  /** Returns the headers that are sent instead of these. */
  return (headers: Headers, { names, subscription }: Registration): Headers => {
    const registered = choose(`registeredHeaders ${subscription.id}`, deliveries.registeredHeaders)
    const scheme = choose(`authorization ${subscription.id}`, deliveries.authorization)
    const isKept = ([name]: readonly [string, string]): boolean =>
      registered === undefined || registered.value !== undefined || !names.includes(name)
    const isChanged = registered?.value === 'changed'
    const change = ([name, value]: readonly [string, string]): [string, string] => {
      if (!isChanged || !names.includes(name)) return [name, value]
      return [name, name === 'authorization' ? unregistered[findScheme(value)] : 'not-registered']
    }
    const sent = Object.fromEntries(Object.entries(headers).filter(isKept).map(change))
    // If `authorization` is registered, it has been sent, changed or left out above.
    if (scheme === undefined || (sendsRegistered && names.includes('authorization'))) return sent
    const { authorization, ...others } = sent
    if (scheme.value === undefined) return others
    const isSame = authorization !== undefined && findScheme(authorization) === scheme.value
    return { ...others, authorization: isSame ? authorization : unregistered[scheme.value] }
  }
}
