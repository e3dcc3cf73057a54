import { eventNames } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { CreateGroupResponse } from './create-group.ts'
import { eventExamples } from './documents/examples.ts'
import { eventSchemas } from './events.ts'
import { extraFields } from './extra-fields.ts'

test.each(eventNames)('%s: extraFields returns exactly the unknown fields', (name) => {
  const extra = { addedLater: 1, toString: 'x', nested: { deep: [true] } }
  const event = eventSchemas[name].parse({ ...eventExamples[name], ...extra })
  expect(extraFields(event)).toEqual(extra)
  expect(extraFields(eventExamples[name])).toEqual({})
})

test('extraFields accepts any parsed object with its schema', () => {
  const response = CreateGroupResponse.parse({ success: true, groupId: 'g', wabaNumber: '+12025550100' })
  expect(extraFields(response, CreateGroupResponse)).toEqual({ wabaNumber: '+12025550100' })
})

test('a field named __proto__ does not change any prototype', () => {
  const value = JSON.parse('{"success":true,"__proto__":{"polluted":true}}')
  const extra = extraFields(value, CreateGroupResponse)
  expect(Object.keys(extra)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(extra)).toBe(Object.prototype)
})
