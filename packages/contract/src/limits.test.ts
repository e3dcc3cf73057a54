import { endpoints } from '@wabakit/wire'
import { limits } from '@wabakit/wire/definitions'
import { expect, test } from 'vitest'

test('subject has at most 128, description 2048 and groupId 50 characters; a request body at most 64 KiB', () => {
  expect(limits).toEqual({
    subjectMaxLength: 128,
    descriptionMaxLength: 2048,
    groupIdMaxLength: 50,
    requestBodyMaxBytes: 64 * 1024,
  })
})

test('the endpoints are POST /whatsapp/wa-group/create and GET /v1/call/ai-summary', () => {
  expect(endpoints).toEqual({
    'groups.create': { method: 'POST', path: '/whatsapp/wa-group/create' },
    'calls.getSummary': { method: 'GET', path: '/v1/call/ai-summary' },
  })
})
