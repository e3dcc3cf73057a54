import type { Delivery } from '@wabakit/server/control-types'
import { showNumber, showText } from '../format/mask.ts'
import { reveal } from '../format/reveal.ts'
import { getParam, type Params, type View } from '../state/route.ts'
import { RecordLink } from './record-link.tsx'

type SubjectLinkProps = {
  readonly subject: string
  /**
   * The event's payload or id. Either identifies the organization: the operator's copy of a health event is about
   * another organization.
   */
  readonly payload?: string
  readonly eventId?: string
} & Partial<Pick<Delivery, 'customerNumber' | 'groupName'>>

/** The organization of the operator, which gets the health events of all organizations. */
const operatorId = 'wabakit:operator'

const getId = (subject: string): string => subject.slice(subject.indexOf(':') + 1)

/** Returns a call's customer or a group's name if known, otherwise the id. */
export const nameSubject = ({ subject, customerNumber, groupName }: SubjectLinkProps): string => {
  if (customerNumber) return showNumber(customerNumber)
  return groupName ? showText(groupName) : reveal(getId(subject))
}

/** Returns the string at a path in JSON, or `undefined` if there is none. */
const readField = (json: string, path: readonly string[]): string | undefined => {
  try {
    const found = path.reduce<unknown>((value, name) => Object(value)[name], JSON.parse(json))
    return typeof found === 'string' ? found : undefined
  } catch {
    return undefined
  }
}

type Target = { readonly view: View; readonly id: string; readonly filters?: Params }

const findTarget = ({ subject, payload, eventId }: SubjectLinkProps): Target => {
  const id = getId(subject)
  if (!subject.startsWith('subscription:'))
    return { view: subject.startsWith('group:') ? 'groups' : 'calls', id }
  if (getParam('organization') !== operatorId) return { view: 'subscriptions', id }
  // A delivery does not name the organization, but its event does.
  if (payload === undefined) return { view: 'events', id: eventId ?? '' }
  return {
    view: 'subscriptions',
    id,
    filters: { organization: readField(payload, ['data', 'organizationId']) },
  }
}

/** A link to the timeline of a call or group, or to the subscription that a health event is about. */
export const SubjectLink = (props: SubjectLinkProps) => {
  const isNamed = Boolean(props.customerNumber ?? props.groupName)
  return (
    <RecordLink {...findTarget(props)}>
      <span class={isNamed ? '' : 'subject'} title={getId(props.subject)}>
        {nameSubject(props)}
      </span>
    </RecordLink>
  )
}
