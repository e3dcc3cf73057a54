import type { Delivery } from '@wabakit/server/control-types'
import { showNumber, showText } from '../format/mask.ts'
import { reveal } from '../format/reveal.ts'
import { getParam } from '../state/route.ts'
import { RecordLink, type RecordLinkProps } from './record-link.tsx'

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

/** Returns the id of the organization that a health event is about. */
const readOrganization = (payload: string): string | undefined => {
  try {
    const id: unknown = JSON.parse(payload)?.data?.organizationId
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

const findTarget = ({ subject, payload, eventId }: SubjectLinkProps): Omit<RecordLinkProps, 'children'> => {
  const id = getId(subject)
  if (!subject.startsWith('subscription:'))
    return { view: subject.startsWith('group:') ? 'groups' : 'calls', id }
  if (getParam('organization') !== operatorId) return { view: 'subscriptions', id }
  // A delivery does not name the organization, but its event does.
  if (payload === undefined) return { view: 'events', id: eventId ?? '' }
  return { view: 'subscriptions', id, filters: { organization: readOrganization(payload) } }
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
