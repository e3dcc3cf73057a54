import { expect, test } from 'vitest'
import { emittedExamples } from './documents/examples.ts'
import { SummaryRecord } from './summary.ts'

const { event: _, ...record } = emittedExamples.CALL_AI_SUMMARY

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
  expect(SummaryRecord.safeParse({ ...record, agentNumber: '', callStartedAt: '', from: null }).success).toBe(
    true,
  )
})

test('unknown fields are kept', () => {
  expect(SummaryRecord.parse({ ...record, addedLater: 1 })).toEqual({ ...record, addedLater: 1 })
})
