import type { Delivery } from '@wabakit/server/control-types'
import { reveal, showNumber, showText } from '../format/mask.ts'
import { getParam } from '../state/route.ts'
import { RecordLink, type RecordLinkProps } from './record-link.tsx'

type SubjectLinkProps = {
  readonly subject: string
  /**
   * The payload or the id of the event. One of them is needed for the operator's health events, which are
   * about subscriptions of other organizations.
   */
  readonly payload?: string
  readonly eventId?: string
} & Partial<Pick<Delivery, 'customerNumber' | 'groupName'>>

/** The organization that gets the health events of all organizations. */
const operatorId = 'wabakit:operator'

const getId = (subject: string): string => subject.slice(subject.indexOf(':') + 1)

/** Returns the customer of a call or the name of a group. If it is unknown, returns the id. */
export const nameSubject = ({ subject, customerNumber, groupName }: SubjectLinkProps): string => {
  if (customerNumber) return showNumber(customerNumber)
  return groupName ? showText(groupName) : reveal(getId(subject))
}

/** Reads the id of the organization from the payload of a health event. */
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
  // Only the payload names the organization, so the link leads to the event.
  if (payload === undefined) return { view: 'events', id: eventId ?? '' }
  return { view: 'subscriptions', id, filters: { organization: readOrganization(payload) } }
}

/** A link to the subject of an event: a call, a group or, for a health event, a subscription. */
export const SubjectLink = (props: SubjectLinkProps) => {
  const isNamed = Boolean(props.customerNumber ?? props.groupName)
  return (
    <RecordLink {...findTarget(props)}>
      <span class={isNamed ? '' : 'subject'} title={`Open the ${props.subject.replace(':', ' ')}`}>
        {nameSubject(props)}
      </span>
    </RecordLink>
  )
}
