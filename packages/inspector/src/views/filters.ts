import { eventNames } from '@wabakit/wire'
import { organization } from '../api/organization.ts'
import { shortenUrl, subscriptions } from '../api/subscriptions.ts'
import { toChoices } from '../format/choices.ts'
import type { Filter } from '../list/list-definition.ts'

export const numberFilter: Filter = {
  key: 'number',
  label: 'Number',
  kind: 'choice',
  choices: () => {
    const { integrations = [], pstnNumbers = [] } = organization.value ?? {}
    return toChoices([...integrations.map(({ wabaNumber }) => wabaNumber), ...pstnNumbers])
  },
}

export const callFilter: Filter = { key: 'call', label: 'Call', kind: 'text', placeholder: 'any' }
export const groupFilter: Filter = { key: 'group', label: 'Group', kind: 'text', placeholder: 'any' }
export const timeFilter: Filter = { key: 'time', label: 'Time', kind: 'time', from: 'from', before: 'before' }

/** The filters that the lists of events and deliveries share. */
export const eventFilters: readonly Filter[] = [
  {
    key: 'subscription',
    label: 'Endpoint',
    kind: 'choice',
    choices: () =>
      subscriptions.value.map(({ id, url, channel }) => ({
        value: id,
        label: `${shortenUrl(url)} · ${channel}`,
      })),
  },
  timeFilter,
  { key: 'name', label: 'Event', kind: 'choice', choices: () => toChoices(eventNames) },
  numberFilter,
  callFilter,
  groupFilter,
]
