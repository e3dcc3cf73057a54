import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { publishedExamples } from './documents/examples.ts'
import { CallAiSummaryEvent } from './events.ts'
import { toIssues, validate } from './issue.ts'
import { publishedEventSchemas } from './published-event.ts'

const issues = (schema: z.core.$ZodType, value: unknown) => {
  const result = validate(schema, value)
  return result.success ? [] : result.issues
}

test('a path uses dots for nested objects and arrays', () => {
  const event = {
    ...publishedExamples.CALL_AI_SUMMARY,
    summary: { recap: 1, keyPoints: ['a', 2], nextSteps: {} },
  }
  expect(issues(CallAiSummaryEvent, event)).toEqual([
    { path: 'summary.recap', message: 'summary.recap must be a string' },
    { path: 'summary.keyPoints.1', message: 'summary.keyPoints.1 must be a string' },
    { path: 'summary.nextSteps', message: 'summary.nextSteps must be an array' },
  ])
})

test('the path of the whole value is empty', () => {
  expect(issues(CallAiSummaryEvent, 'text')).toEqual([{ path: '', message: 'the value must be an object' }])
})

test.each<[z.core.$ZodType, unknown, string]>([
  [z.string(), undefined, 'is required'],
  [z.enum(['a', 'b']), undefined, 'is required'],
  [z.string(), null, 'must be a string'],
  [z.number(), 'x', 'must be a number'],
  [z.int(), 1.5, 'must be an integer'],
  [z.boolean(), 'x', 'must be a boolean'],
  [z.array(z.string()), 'x', 'must be an array'],
  [z.object({}), 'x', 'must be an object'],
  [z.literal('a'), 'x', 'must be a'],
  [z.enum(['a', 'b', 'c', '']), 'x', 'must be a, b, c or empty'],
  [z.string().check(z.minLength(1)), '', 'must not be empty'],
  [z.string().check(z.minLength(8)), 'x', 'must be at least 8 characters long'],
  [z.string().check(z.maxLength(1)), 'xyz', 'must be at most 1 characters long'],
  [z.array(z.string()).check(z.minLength(1)), [], 'must not be empty'],
  [z.array(z.string()).check(z.maxLength(1)), ['a', 'b'], 'must be at most 1 items long'],
  [z.number().check(z.minimum(1)), 0, 'must be at least 1'],
  [z.number().check(z.maximum(9)), 10, 'must be at most 9'],
  [z.strictObject({}), { x: 1, y: 1 }, 'must not have the field x, y'],
  [z.union([z.string(), z.number()]), true, 'is invalid'],
])(
  'describes what is wrong, whether or not something has used all of zod: case %#',
  (schema, value, predicate) => {
    const { localeError } = z.core.globalConfig
    onTestFinished(() => void z.config({ localeError }))
    for (const locale of [{ localeError: undefined }, z.locales.en()]) {
      z.config(locale)
      expect(issues(z.object({ field: schema }), { field: value })).toEqual([
        { path: 'field', message: `field ${predicate}` },
      ])
    }
  },
)

test('a union reports the wrong fields of the option that was meant, if its type leaves no doubt', () => {
  const either = z.object({
    summary: z.union([z.literal(false), z.object({ recap: z.string(), points: z.array(z.string()) })]),
  })
  const explain = (summary: unknown) => validate(either, { summary })
  expect(explain({ recap: 5, points: ['', 5] })).toEqual({
    success: false,
    issues: [
      { path: 'summary.recap', message: 'summary.recap must be a string' },
      { path: 'summary.points.1', message: 'summary.points.1 must be a string' },
    ],
  })
  expect(explain(true)).toEqual({
    success: false,
    issues: [{ path: 'summary', message: 'summary is invalid' }],
  })
})

test('a message that a schema defines is kept', () => {
  const event = { ...publishedExamples.CALL_ENDED, from: '+12025550199' }
  expect(issues(publishedEventSchemas.CALL_ENDED, event)).toEqual([
    { path: '', message: 'from must equal channelNumber, and to must equal customerNumber' },
  ])
})

test('toIssues accepts any zod error', () => {
  const { error } = CallAiSummaryEvent.safeParse({ ...publishedExamples.CALL_AI_SUMMARY, channel: '' })
  expect(error && toIssues(error)).toEqual([{ path: 'channel', message: 'channel must not be empty' }])
})

test('no message repeats the value', () => {
  const secret = 'sk_live_very_secret'
  const event = Object.fromEntries(
    Object.keys(publishedExamples.CALL_AI_SUMMARY).map((name) => [name, [secret]]),
  )
  expect(JSON.stringify(issues(CallAiSummaryEvent, event))).not.toContain(secret)
})
