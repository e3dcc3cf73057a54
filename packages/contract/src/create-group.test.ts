import { expect, test } from 'vitest'
import { CreateGroupRequest, CreateGroupResponse, createGroupErrorCodes } from './create-group.ts'
import { validate } from './issue.ts'

const valid = { wabaNumber: '+12025550100', subject: 'Order 1234' }

test('only wabaNumber and subject are required', () => {
  expect(validate(CreateGroupRequest, valid).success).toBe(true)
  expect(validate(CreateGroupRequest, {})).toMatchObject({
    issues: [
      { path: 'wabaNumber', message: 'wabaNumber is required' },
      { path: 'subject', message: 'subject is required' },
    ],
  })
})

test('every field has an error code, in the order of the fields', () => {
  expect(Object.keys(createGroupErrorCodes)).toEqual(Object.keys(CreateGroupRequest.shape))
})

test('a response has success true and a groupId', () => {
  expect(validate(CreateGroupResponse, { success: true, groupId: 'g' }).success).toBe(true)
  for (const fields of [{ success: false }, { success: 'true' }, { groupId: '' }, { groupId: null }]) {
    expect(validate(CreateGroupResponse, { success: true, groupId: 'g', ...fields }).success).toBe(false)
  }
})

test('unknown fields of a response are kept', () => {
  const response = { success: true, groupId: 'g', wabaNumber: '+12025550100' }
  expect(CreateGroupResponse.parse(response)).toEqual(response)
})
