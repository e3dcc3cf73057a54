import { expect, test } from 'vitest'
import { CreateGroupRequest, CreateGroupResponse, createGroupErrorCodes } from './create-group.ts'
import { validate } from './issue.ts'

const valid = { wabaNumber: '+12025550100', subject: 'Order 1234' }

const findMessages = (fields: object): string[] => {
  const result = validate(CreateGroupRequest, { ...valid, ...fields })
  return result.success ? [] : result.issues.map(({ message }) => message)
}

test('only wabaNumber and subject are required', () => {
  expect(validate(CreateGroupRequest, valid).success).toBe(true)
  expect(validate(CreateGroupRequest, {})).toMatchObject({
    issues: [
      { path: 'wabaNumber', message: 'wabaNumber is required' },
      { path: 'subject', message: 'subject is required' },
    ],
  })
})

test.each(['wabaNumber', 'subject', 'description', 'groupId'])('%s must be a string', (field) => {
  for (const value of [1, true, null, [], {}]) {
    expect(findMessages({ [field]: value })).toEqual([`${field} must be a string`])
  }
})

test.each(['wabaNumber', 'subject', 'groupId'])('%s must not be empty', (field) => {
  expect(findMessages({ [field]: '' })).toEqual([`${field} must not be empty`])
})

test('description may be empty', () => {
  expect(findMessages({ description: '' })).toEqual([])
})

test.each([
  ['subject', 128],
  ['description', 2048],
  ['groupId', 50],
])('%s has at most %i code points, regardless of its UTF-16 length', (field, max) => {
  const tooLong = [`${field} must be at most ${max} characters long`]
  for (const character of ['a', 'é', '😀']) {
    expect(findMessages({ [field]: character.repeat(max) })).toEqual([])
    expect(findMessages({ [field]: character.repeat(max + 1) })).toEqual(tooLong)
  }
  expect(findMessages({ [field]: `${'😀'.repeat(max - 1)}ab` })).toEqual(tooLong)
  expect(findMessages({ [field]: 'a'.repeat(max * 3) })).toEqual(tooLong)
})

test.each(['wabaNumber', 'subject', 'description', 'groupId'])(
  '%s must not contain a NUL character or a lone surrogate',
  (field) => {
    for (const text of ['\u0000', 'a\u0000b', '\ud83d', 'a\ude00', '\ude00\ud83d']) {
      expect(findMessages({ [field]: text })).toEqual([
        `${field} must be text without a NUL character or a lone surrogate`,
      ])
    }
    expect(findMessages({ [field]: 'a\nb\u{1F600}\uFFFF' })).toEqual([])
  },
)

test('joinApprovalMode must be auto_approve or approval_required', () => {
  expect(findMessages({ joinApprovalMode: 'auto_approve' })).toEqual([])
  expect(findMessages({ joinApprovalMode: 'approval_required' })).toEqual([])
  for (const joinApprovalMode of ['', 'AUTO_APPROVE', 'never', 1, null]) {
    expect(findMessages({ joinApprovalMode })).toEqual([
      'joinApprovalMode must be auto_approve or approval_required',
    ])
  }
})

test('every field has an error code, in the order of the fields', () => {
  expect(Object.keys(createGroupErrorCodes)).toEqual(Object.keys(CreateGroupRequest.shape))
})

test('all invalid fields are reported at once', () => {
  const everything = { wabaNumber: '', subject: '', description: 1, joinApprovalMode: 'x', groupId: '' }
  const result = validate(CreateGroupRequest, everything)
  expect(result).toMatchObject({ issues: Object.keys(everything).map((path) => ({ path })) })
})

test.each([null, undefined, 'text', 1, [valid]])('a request must be an object, not %o', (value) => {
  expect(validate(CreateGroupRequest, value).success).toBe(false)
})

test('a request may have unknown fields', () => {
  expect(findMessages({ addedLater: 1 })).toEqual([])
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
