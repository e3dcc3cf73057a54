import { organizations } from '../api/organization.ts'
import { RecordLink } from '../components/record-link.tsx'
import { EmptyState } from '../list/empty-state.tsx'
import { getParam, view } from '../state/route.ts'

/** Advice for a server without organizations, or for a URL with an unknown organization. */
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
      <h1>There is no organization {JSON.stringify(getParam('organization'))}</h1>
      <p>This server has:</p>
      <ul>
        {known.map(({ id }) => (
          <li key={id}>
            <RecordLink view={view.value} filters={{ organization: id }}>
              {id}
            </RecordLink>
          </li>
        ))}
      </ul>
    </div>
  )
}
