import { validateSummaryRecord } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { publishedExamples } from './documents/examples.ts'
import { SummaryRecord } from './summary.ts'

const { event: _, ...record } = publishedExamples.CALL_AI_SUMMARY

test('a summary record is the CALL_AI_SUMMARY payload without event', () => {
  expect(SummaryRecord.parse(record)).toEqual(record)
})

test('only callId and summary are required', () => {
  const { callId, summary } = record
  expect(SummaryRecord.safeParse({ callId, summary }).success).toBe(true)
  expect(SummaryRecord.safeParse({ callId }).success).toBe(false)
  expect(SummaryRecord.safeParse({ summary }).success).toBe(false)
  expect(SummaryRecord.safeParse({ callId, summary: {} }).success).toBe(false)
})

test('the other fields may be empty or null', () => {
  const unset = { ...record, channel: '', callStatus: null, callStartedAt: '', from: null }
  expect(SummaryRecord.parse(unset)).toEqual(unset)
})

test('a time in another format does not make a summary unreadable', () => {
  const { callId, summary } = record
  const written = { callId, summary, callStartedAt: '05/01/2026 10:00', callEndedAt: '1767607200' }
  expect(SummaryRecord.parse(written)).toEqual(written)
  expect(validateSummaryRecord(written)).toEqual({ success: true, data: written })
  expect(validateSummaryRecord({ ...written, callEndedAt: 7 }).success).toBe(false)
})

test('enumerated fields may have unknown values, and an empty agentNumber is dropped, as in events', () => {
  const { agentNumber: _, ...changed } = { ...record, channel: 'SMS', triggeredVia: 'SCHEDULE' }
  for (const agentNumber of ['', null]) {
    expect(SummaryRecord.parse({ ...changed, agentNumber })).toEqual(changed)
    expect(validateSummaryRecord({ ...changed, agentNumber })).toStrictEqual({ success: true, data: changed })
  }
})

test('unknown fields are kept', () => {
  expect(SummaryRecord.parse({ ...record, addedLater: 1 })).toEqual({ ...record, addedLater: 1 })
})
