import { expect, test } from 'vitest'
import { CreateGroupRequest, createGroupErrorCodes } from './create-group.ts'
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
