import { isDeepStrictEqual } from 'node:util'
import type { Page, PageRequest } from '@wabakit/core'
import { organizationId } from '../cluster/organization.ts'
import { readAll } from '../engines/observed-store.ts'
import type { Invariant, InvariantContext } from './invariant.ts'

const agree = 'lists agree with each other'

type Selection = Partial<{ subject: string; names: string[]; subscriptionId: string }>

/** Reads a list in small pages, so that most lists have several pages. */
const readPages = <Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<Item[]> =>
  readAll(list, 5)

/** Returns the ids of items that are in `known`. Late settlements may have published other events in the meantime. */
const listIds = (
  listed: readonly { readonly id: string }[],
  known: readonly { readonly id: string }[],
): string[] => listed.map(({ id }) => id).filter((id) => known.some((each) => each.id === id))

/** Checks that lists in reverse order, lists with filters, and single records agree with what was listed in order. */
export const createListsInvariant = ({ violate }: InvariantContext): Invariant => ({
  finish: async ({ events, deliveries, subscriptions, committed }) => {
    const compare = (what: string, found: unknown, expected: unknown): void => {
      if (!isDeepStrictEqual(found, expected))
        violate(agree, `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`)
    }
    const newest = { organizationId, order: 'newest_first' } as const
    const [{ subject = '' } = {}] = events
    const selections: Selection[] = [
      {},
      { subject },
      { names: ['GROUP_CREATED', 'CALL_ENDED'] },
      ...subscriptions.map(({ id }) => ({ subscriptionId: id })),
    ]
    for (const selection of selections) {
      const { names, subscriptionId } = selection
      const isSelected = (subject: string, name: string): boolean =>
        (selection.subject ?? subject) === subject && (names?.includes(name) ?? true)
      const ownDeliveries = deliveries.filter(
        (each) =>
          isSelected(each.subject, each.eventName) &&
          (subscriptionId ?? each.subscriptionId) === each.subscriptionId,
      )
      const ownEvents = events.filter(
        ({ id, subject, name }) =>
          isSelected(subject, name) &&
          (subscriptionId === undefined || ownDeliveries.some(({ eventId }) => eventId === id)),
      )
      const what = JSON.stringify(selection)
      const listedEvents = await readPages((page) =>
        committed.listEvents({ ...newest, ...selection, ...page }),
      )
      compare(`events with ${what}`, listIds(listedEvents, events), listIds(ownEvents.toReversed(), events))
      const listed = await readPages((page) => committed.listDeliveries({ ...newest, ...selection, ...page }))
      compare(
        `deliveries with ${what}`,
        listIds(listed, deliveries).sort(),
        listIds(ownDeliveries, deliveries).sort(),
      )
    }
    for (const { id } of events) {
      const found = await readPages((page) => committed.listEvents({ ...newest, text: id, ...page }))
      compare(`an event with the text ${id}`, listIds(found, events).includes(id), true)
    }
    for (const { id, attempts } of deliveries) {
      // A late attempt of a finished delivery may have been settled in the meantime.
      const [last] = await committed.listLastAttempts(organizationId, [id])
      const all = await committed.listAttempts(organizationId, id)
      compare(
        `the last of ${attempts} attempts`,
        last,
        all.find(({ number }) => number === last?.number),
      )
    }
    for (const group of await readPages((page) => committed.listGroups({ organizationId, ...page })))
      compare('a group', group, await committed.findGroup(organizationId, group.clientCustomGroupId))
    for (const call of await readPages((page) => committed.listCalls({ organizationId, ...page })))
      compare('a call', call, (await committed.findCall(organizationId, call.callId))?.call)
  },
})
