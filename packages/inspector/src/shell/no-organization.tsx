import { organizations } from '../api/organization.ts'
import { EmptyState } from '../list/empty-state.tsx'
import { getParam, toHref, view } from '../state/route.ts'

/** Shows advice if there is no organization, or the one in the URL does not exist. */
export const NoOrganization = () => {
  const known = organizations.value ?? []
  if (known.length === 0) {
    return (
      <EmptyState
        title="No organization yet"
        text="Numbers, keys, subscriptions, calls and groups all belong to an organization."
        commands={['wabakit org create --help', 'wabakit key create', 'wabakit trigger call']}
      />
    )
  }
  return (
    <div class="empty">
      <h2>There is no organization {JSON.stringify(getParam('organization'))}</h2>
      <p>This server has:</p>
      <ul>
        {known.map(({ id }) => (
          <li key={id}>
            <a class="record" href={toHref(view.value, { organization: id })}>
              {id}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
