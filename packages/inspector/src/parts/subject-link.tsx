import { navigate, toHref, type View } from '../state/route.ts'

/** Reads a subject, such as `call:c_1`. */
export const parseSubject = (subject: string): { readonly view: View; readonly id: string } => ({
  view: subject.startsWith('group:') ? 'groups' : 'calls',
  id: subject.slice(subject.indexOf(':') + 1),
})

/** A link to the timeline of a call or a group. */
export const SubjectLink = ({ subject }: { readonly subject: string }) => {
  const { view, id } = parseSubject(subject)
  return (
    <a
      href={toHref(view, { id })}
      class="subject"
      title={`Show the timeline of the ${view.slice(0, -1)}`}
      onClick={(click) => {
        if (click.metaKey || click.ctrlKey) return
        click.preventDefault()
        click.stopPropagation()
        navigate(view, { id })
      }}
    >
      {id}
    </a>
  )
}
