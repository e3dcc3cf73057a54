import { eventChoices, numberChoices, subscriptionChoices } from '../api/choices.ts'
import type { Filter } from '../list/list-definition.ts'

// Filters shared by several lists.

export const nameFilter: Filter = { key: 'name', label: 'Event', kind: 'choice', choices: () => eventChoices }

export const subscriptionFilter: Filter = {
  key: 'subscription',
  label: 'Endpoint',
  kind: 'choice',
  choices: () => subscriptionChoices.value,
}

export const numberFilter: Filter = {
  key: 'number',
  label: 'Number',
  kind: 'choice',
  choices: () => numberChoices.value,
}

export const callFilter: Filter = { key: 'call', label: 'Call', kind: 'text', placeholder: 'any' }
export const groupFilter: Filter = { key: 'group', label: 'Group', kind: 'text', placeholder: 'any' }
export const timeFilter: Filter = {
  ...{ key: 'time', label: 'Time', kind: 'time' },
  ...{ from: 'from', before: 'before' },
}
