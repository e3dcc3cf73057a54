import { type EventName, eventNames, isEventName, validateEvent } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { eventSchemas } from './events.ts'

const times = {
  GROUP_CREATED: 'groupCreatedAt',
  GROUP_PARTICIPANT_JOINED: 'participantJoinedAt',
  GROUP_PARTICIPANT_LEFT: 'participantLeftAt',
  GROUP_PARTICIPANT_REMOVED: 'participantRemovedAt',
} as const satisfies { readonly [Name in EventName]?: string }

const names = Object.entries(times)

const accepts = (event: string, fields: object): boolean =>
  eventNames.some(
    (name) => name === event && eventSchemas[name].safeParse({ event, groupId: 'g', ...fields }).success,
  )

test.each(names)('%s: only event and groupId are required', (name) => {
  expect(accepts(name, {})).toBe(true)
})

test.each(names)('%s: groupId is a non-empty string, or null while it is not resolved', (name) => {
  expect(accepts(name, { groupId: null })).toBe(true)
  for (const groupId of ['', undefined, 1, {}]) expect(accepts(name, { groupId })).toBe(false)
})

test.each(names)('%s: groupName is a string or null', (name) => {
  for (const groupName of ['Order 1234', '', null]) expect(accepts(name, { groupName })).toBe(true)
  expect(accepts(name, { groupName: 1 })).toBe(false)
})

test.each(names)('%s: %s is in any ISO 8601 format, or empty or null', (name, field) => {
  for (const value of ['2026-01-01T10:00:00', '', null]) expect(accepts(name, { [field]: value })).toBe(true)
  for (const value of ['today', 1767261600]) expect(accepts(name, { [field]: value })).toBe(false)
})

test.each(names)('%s: orgId and integrationId are left out if they have another type', (name) => {
  for (const value of ['a', '', null, 1, {}]) {
    const event = { event: name, groupId: 'g' }
    const expected = typeof value === 'string' || value === null ? { ...event, orgId: value } : event
    expect(accepts(name, { orgId: value, integrationId: value })).toBe(true)
    expect(
      validateEvent(isEventName(name) ? name : 'GROUP_CREATED', { ...event, orgId: value }),
    ).toStrictEqual({
      success: true,
      data: expected,
    })
  }
})

test('the inviteLink of GROUP_CREATED is a string or null', () => {
  for (const inviteLink of ['https://chat.example.com/x', '', null]) {
    expect(accepts('GROUP_CREATED', { inviteLink })).toBe(true)
  }
  expect(accepts('GROUP_CREATED', { inviteLink: {} })).toBe(false)
})

test.each(names.slice(1))('%s: customerPhone is a string, with or without a leading +', (name) => {
  for (const customerPhone of ['+12025550143', '12025550143'])
    expect(accepts(name, { customerPhone })).toBe(true)
  expect(accepts(name, { customerPhone: 12025550143 })).toBe(false)
})
