// The modules of the page read these while they are loaded.
import '../../../inspector/test/page-globals.ts'

import { createControlOpenApi, operations } from '@wabakit/core/control'
import { expect, onTestFinished, test } from 'vitest'
import type { LiveMessage } from '../../../inspector/src/api/live.ts'
import { type ListDefinition, listParams } from '../../../inspector/src/list/list-definition.ts'
import { createRecordList } from '../../../inspector/src/list/record-list.ts'
import { apiKeys } from '../../../inspector/src/views/api-keys.tsx'
import { calls } from '../../../inspector/src/views/calls.tsx'
import { deliveries } from '../../../inspector/src/views/deliveries.tsx'
import { events } from '../../../inspector/src/views/events.tsx'
import { groups } from '../../../inspector/src/views/groups.tsx'
import { requests } from '../../../inspector/src/views/requests.tsx'
import { subscriptions } from '../../../inspector/src/views/subscriptions.tsx'
import { respond, servePage, until } from '../../../inspector/test/page-globals.ts'

type Row = Readonly<Record<string, string>>

const all: readonly unknown[] = [deliveries, events, calls, groups, subscriptions, requests, apiKeys]
const views = (all as readonly ListDefinition<Row>[]).map(
  (definition) => [definition.view, definition] as const,
)

/** A record whose fields have their own names as values. */
const record: Row = new Proxy({}, { get: (_, name) => String(name) })

const messages = {
  call: { type: 'event', event: { subject: 'call:c', name: 'CALL_ENDED' } },
  group: { type: 'event', event: { subject: 'group:g', name: 'GROUP_CREATED' } },
  participant: { type: 'event', event: { subject: 'group:g', name: 'GROUP_PARTICIPANT_JOINED' } },
  attempt: { type: 'attempt', attempt: { subscriptionId: 's', eventName: 'CALL_ENDED' } },
  summary: { type: 'attempt', attempt: { subscriptionId: 's', eventName: 'CALL_AI_SUMMARY' } },
} as unknown as Readonly<Record<string, LiveMessage>>

test('each view recognizes its records, and is reloaded by what changes them', () => {
  const seen = views.map(([view, { getId, getTime, isMutable, isAbout, pollMs }]) => {
    const reloading = Object.entries(messages).flatMap(([name, message]) => (isAbout(message) ? [name] : []))
    return [view, getId(record), getTime?.(record), isMutable, reloading.join(' '), pollMs]
  })
  expect(seen).toEqual([
    ['deliveries', 'id', 'createdAt', true, 'call group participant attempt summary', undefined],
    ['events', 'id', 'occurredAt', undefined, 'call group participant', undefined],
    ['calls', 'callId', 'initiatedAt', true, 'call summary', undefined],
    ['groups', 'groupId', 'createdAt', undefined, 'group participant', undefined],
    ['subscriptions', 'id', undefined, undefined, 'attempt summary', undefined],
    ['requests', 'requestId', 'at', undefined, '', 2_000],
    ['api-keys', 'id', undefined, undefined, '', 10_000],
  ])
})

const firstPages: Readonly<Record<string, string>> = {
  deliveries: '/organizations/acme/deliveries?order=newest_first&text=x&limit=100',
  events: '/organizations/acme/events?order=newest_first&text=x&limit=100',
  calls: '/organizations/acme/calls?text=x&limit=100',
  groups: '/organizations/acme/groups?text=x&limit=100',
  subscriptions: '/organizations/acme/subscriptions?text=x&limit=100',
  requests: '/requests?unidentified=include&organization=acme&text=x&limit=100',
  'api-keys': '/organizations/acme/api-keys?text=x&limit=100',
}

test.each(views)(
  'the list of %s asks for pages of its organization that match the filters',
  async (view, definition) => {
    const urls: (string | undefined)[] = []
    await servePage(({ url }, response) => {
      urls.push(url)
      respond(response, { items: [{ id: `${urls.length}` }], ...(urls.length < 2 && { nextCursor: 'next' }) })
    })
    const list = createRecordList(definition, { organizationId: 'acme', query: { text: 'x' } })
    onTestFinished(list.start())
    await until(() => urls.length === 2)
    const first = `/_wabakit${firstPages[view]}`
    expect(urls).toEqual([first, `${first}&cursor=next`])
  },
)

test.each(views)('the control API has every parameter of the list of %s', (view, { filters, searches }) => {
  const { paths } = createControlOpenApi('0.0.0', operations) as {
    paths: Record<string, { get: { parameters: readonly { name: string }[] } }>
  }
  const [path = '', query] = firstPages[view]?.replace('acme', '{organizationId}').split('?') ?? []
  const offered = paths[path]?.get.parameters.map(({ name }) => name)
  const own = [...new URLSearchParams(query).keys()].filter((name) => !['text', 'limit'].includes(name))
  const used = [...filters.flatMap(listParams), ...(searches === undefined ? [] : ['text']), ...own]
  expect(offered).toEqual(expect.arrayContaining(used))
})
