import { maskUrl } from '@wabakit/wire'
import type { Page } from '../../index.ts'
import { toDigits } from '../../values/phone-number.ts'
import { isIdentifier } from '../../values/storable-text.ts'
import type { ControlContext } from '../operation.ts'
import { listShownRequests } from '../requests/shown-requests.ts'
import { utc } from '../schemas.ts'
import type { SearchHitView } from '../views/search.ts'

type SearchContext = Pick<ControlContext, 'service' | 'requests'>

/** The text to search for in an organization. */
type Search = {
  readonly organizationId: string
  readonly text: string
  /** Maximum number of hits. */
  readonly limit: number
}

type Hit = SearchHitView
type Finder = (context: SearchContext, search: Search) => Promise<Hit[]>

/**
 * Minimum number of digits that are looked up as a whole telephone number. Fewer digits are more likely part of an id.
 */
const fewestDigits = 5

/** Reads a telephone number without the zeros that people dial before it, such as `00` for another country. */
const readDigits = (text: string): string | undefined => toDigits(text)?.replace(/^0+/, '') || undefined

const contains = (whole: string, part: string): boolean => whole.toLowerCase().includes(part.toLowerCase())

/** Returns the record whose id was searched, and the others that were found. */
const addExact = <Item>(
  others: Page<Item>,
  { exact, getId }: { readonly exact: Item | undefined; getId(item: Item): string },
): Item[] => {
  if (exact === undefined) return others.items
  return [exact, ...others.items.filter((each) => getId(each) !== getId(exact))]
}

const findCalls: Finder = async ({ service }, { organizationId, text, limit }) => {
  const exact = isIdentifier(text) ? await service.calls.find(organizationId, text) : undefined
  const others = await service.calls.list(organizationId, { text, limit })
  const found = addExact(others, { exact: exact?.call, getId: ({ callId }) => callId })
  return found.map(({ callId, customerNumber, direction, state, initiatedAt }) => ({
    kind: 'call',
    id: callId,
    label: `${direction.toLowerCase()} ${customerNumber}, ${state}`,
    at: utc(initiatedAt),
    exact: callId === text,
  }))
}

const findGroups: Finder = async ({ service }, { organizationId, text, limit }) => {
  const exact = await service.groups.find(organizationId, text)
  const others = await service.groups.list(organizationId, { text, limit })
  const found = addExact(others, { exact: exact, getId: ({ clientCustomGroupId }) => clientCustomGroupId })
  return found.map(({ clientCustomGroupId: id, subject, createdAt }) => ({
    kind: 'group',
    id,
    label: subject,
    at: utc(createdAt),
    exact: id === text,
  }))
}

const findCustomer: Finder = async ({ service }, { organizationId, text }) => {
  const digits = readDigits(text)
  if (digits === undefined || digits.length < fewestDigits) return []
  const [calls, memberships] = await Promise.all([
    service.calls.list(organizationId, { customerDigits: digits, limit: 1 }),
    service.participants.memberships(organizationId, digits),
  ])
  const label = calls.items[0]?.customerNumber ?? memberships[0]?.phone
  return label === undefined ? [] : [{ kind: 'customer', id: digits, label, at: null, exact: true }]
}

/** Finds the customers of calls by a part of their number. */
const findCustomers: Finder = async ({ service }, { organizationId, text, limit }) => {
  const digits = readDigits(text)
  if (digits === undefined) return []
  const { items } = await service.calls.list(organizationId, { text: digits, limit })
  const numbers = new Map(items.map(({ customerNumber }) => [toDigits(customerNumber) ?? '', customerNumber]))
  return [...numbers]
    .filter(([id]) => id !== digits && id.includes(digits))
    .map(([id, label]) => ({ kind: 'customer', id, label, at: null, exact: false }))
}

const findEvents: Finder = async ({ service }, { organizationId, text, limit }) => {
  // A delivery that was sent again with a new webhook-id has the event's id with a suffix: the time in base 36.
  const eventId = text.replace(/-[\da-z]+$/, '')
  const exact = isIdentifier(eventId)
    ? await service.events.list(organizationId, { eventId, limit: 1 })
    : { items: [] }
  const others = await service.events.list(organizationId, { text, limit, order: 'newest_first' })
  const found = addExact(others, { exact: exact.items[0], getId: ({ id }) => id })
  return found.map(({ id, name, subject, occurredAt }) => ({
    kind: 'event',
    id,
    label: `${name}, ${subject}`,
    at: utc(occurredAt),
    exact: id === text || id === eventId,
  }))
}

const findDelivery: Finder = async ({ service }, { organizationId, text: deliveryId }) => {
  if (!isIdentifier(deliveryId)) return []
  const { items } = await service.deliveries.list(organizationId, { deliveryId, limit: 1 })
  return items.map(({ id, eventName, subject, status, createdAt }) => ({
    kind: 'delivery',
    id,
    label: `${eventName}, ${subject}, ${status}`,
    at: utc(createdAt),
    exact: true,
  }))
}

const findSubscriptions: Finder = async ({ service }, { organizationId, text, limit }) => {
  const { items } = await service.subscriptions.list(organizationId, { limit: 1_000 })
  return items
    .map((item) => ({ ...item, url: maskUrl(item.url) }))
    .filter(({ id, url, number }) => id === text || contains(url, text) || number === text)
    .slice(0, limit)
    .map(({ id, url, createdAt }) => ({
      kind: 'subscription',
      id,
      label: url,
      at: utc(createdAt),
      exact: id === text,
    }))
}

const findApiKeys: Finder = async ({ service }, { organizationId, text, limit }) => {
  const keys = await service.apiKeys.list(organizationId)
  return keys
    .filter(({ id, label, hash }) => id === text || contains(label, text) || hash.slice(0, 8) === text)
    .slice(0, limit)
    .map(({ id, label, createdAt }) => ({
      kind: 'api_key',
      id,
      label,
      at: utc(createdAt),
      exact: id === text,
    }))
}

const findRequests: Finder = async (context, { organizationId, text, limit }) => {
  const query = { organization: organizationId, unidentified: 'include', text, limit } as const
  const { items } = await listShownRequests(context, query)
  return items.map(({ requestId, method, path, status, code, startedAt }) => ({
    kind: 'api_request',
    id: requestId,
    label: [method, path, status ?? 'no response', code].filter(Boolean).join(' '),
    at: utc(startedAt),
    exact: requestId === text,
  }))
}

const finders: readonly Finder[] = [
  findCustomer,
  findCustomers,
  findCalls,
  findGroups,
  findDelivery,
  findEvents,
  findSubscriptions,
  findApiKeys,
  findRequests,
]

/**
 * Number of hits of each kind, besides exact ones, that are listed before further hits of any kind, so that many calls
 * do not hide a group.
 */
const firstOfKind = 5

/**
 * Finds records of an organization, and requests without a valid key, by an id, a number or a text. Exact hits come
 * first.
 */
export const searchRecords = async (context: SearchContext, search: Search): Promise<Hit[]> => {
  const found = await Promise.all(finders.map((find) => find(context, search)))
  const others = found.map((hits) => hits.filter(({ exact }) => !exact))
  return [
    ...found.flat().filter(({ exact }) => exact),
    ...others.flatMap((hits) => hits.slice(0, firstOfKind)),
    ...others.flatMap((hits) => hits.slice(firstOfKind)),
  ].slice(0, search.limit)
}
