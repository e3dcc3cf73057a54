import type { View } from '../state/route.ts'
import { RecordLink } from './record-link.tsx'

/** Reads a subject, such as `call:c_1`. */
const parseSubject = (subject: string): { readonly view: View; readonly id: string } => ({
  view: subject.startsWith('group:') ? 'groups' : 'calls',
  id: subject.slice(subject.indexOf(':') + 1),
})

/** A link to the timeline of a call or a group. */
export const SubjectLink = ({ subject }: { readonly subject: string }) => {
  const { view, id } = parseSubject(subject)
  return (
    <RecordLink view={view} id={id}>
      <span class="subject">{id}</span>
    </RecordLink>
  )
}
