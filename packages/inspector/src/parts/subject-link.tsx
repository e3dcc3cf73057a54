import type { Delivery } from '@wabakit/server/control-types'
import { showNumber, showText } from '../format/mask.ts'
import { reveal } from '../format/reveal.ts'
import { RecordLink } from './record-link.tsx'

type SubjectLinkProps = { readonly subject: string } & Partial<Pick<Delivery, 'customerNumber' | 'groupName'>>

/** A link to the timeline of a call or a group: its customer or its name if they are known, otherwise its id. */
export const SubjectLink = ({ subject, customerNumber, groupName }: SubjectLinkProps) => {
  const id = subject.slice(subject.indexOf(':') + 1)
  const name = customerNumber ? showNumber(customerNumber) : groupName ? showText(groupName) : undefined
  return (
    <RecordLink view={subject.startsWith('group:') ? 'groups' : 'calls'} id={id}>
      <span class={name === undefined ? 'subject' : ''} title={id}>
        {name ?? reveal(id)}
      </span>
    </RecordLink>
  )
}
