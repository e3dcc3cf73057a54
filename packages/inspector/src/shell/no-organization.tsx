import { EmptyState } from '../list/empty-state.tsx'

export const NoOrganization = () => (
  <EmptyState
    title="No organization yet"
    text="Everything belongs to an organization: numbers, keys, subscriptions and what happens on them."
    commands={['wabakit org create --help', 'wabakit key create', 'wabakit trigger call']}
    isFiltered={false}
  />
)
