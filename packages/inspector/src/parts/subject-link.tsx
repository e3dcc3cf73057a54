import type { Delivery } from '@wabakit/server/control-types'
import { showNumber, showText } from '../format/mask.ts'
import { reveal } from '../format/reveal.ts'
import { RecordLink } from './record-link.tsx'

type SubjectLinkProps = { readonly subject: string } & Partial<Pick<Delivery, 'customerNumber' | 'groupName'>>

/** Returns the customer of a call or the name of a group if they are known, otherwise the id. */
export const nameSubject = ({ subject, customerNumber, groupName }: SubjectLinkProps): string => {
  if (customerNumber) return showNumber(customerNumber)
  return groupName ? showText(groupName) : reveal(subject.slice(subject.indexOf(':') + 1))
}

const getView = (subject: string): 'groups' | 'calls' | 'subscriptions' => {
  if (subject.startsWith('subscription:')) return 'subscriptions'
  return subject.startsWith('group:') ? 'groups' : 'calls'
}

/** A link to the timeline of a call or a group, or to the subscription that a health event is about. */
export const SubjectLink = (props: SubjectLinkProps) => {
  const { subject, customerNumber, groupName } = props
  const id = subject.slice(subject.indexOf(':') + 1)
  const isNamed = Boolean(customerNumber ?? groupName)
  return (
    <RecordLink view={getView(subject)} id={id}>
      <span class={isNamed ? '' : 'subject'} title={id}>
        {nameSubject(props)}
      </span>
    </RecordLink>
  )
}
