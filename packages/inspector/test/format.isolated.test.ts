// The modules of the page read these while they are loaded.
import './page-globals.ts'

import { expect, onTestFinished, test, vi } from 'vitest'
import { ApiError } from '../src/api/api-error.ts'
import { HttpStatus } from '../src/components/status.tsx'
import { nameChoice, toChoices } from '../src/format/choices.ts'
import { reveal, showBody, showNumber, showText } from '../src/format/mask.ts'
import { formatAge, formatCount, formatLatency, formatRate, formatShort } from '../src/format/numbers.ts'
import { readEvent } from '../src/format/read-event.ts'
import { type Field, listFields, readFields } from '../src/format/schema-fields.ts'
import { formatFixture } from '../src/format/snippets.ts'
import { formatDay, formatDuration, formatFull, formatTime, getZone } from '../src/format/time.ts'
import { formatCsv } from '../src/list/export-csv.ts'
import { masking } from '../src/state/settings.ts'
import { getTone } from '../src/timeline/flag-row.tsx'

test('escapes characters that reorder text, and keeps the joiners of emoji and Persian', () => {
  expect(reveal('invoice\u202efdp.exe')).toBe(String.raw`invoice\u202efdp.exe`)
  expect(reveal('a\u2066b\u2069\u200f\u061c')).toBe(String.raw`a\u2066b\u2069\u200f\u061c`)
  const joined = 'Family 👨‍👩‍👧 می‌خواهم'
  expect(joined).toMatch(/\u200d[\s\S]*\u200c/)
  expect(reveal(joined)).toBe(joined)
})

test('only a status from 200 to 299 looks like a success', () => {
  const tones = [101, 200, 299, 302, 404, 500, null].map((status) => [
    HttpStatus({ status }).props.tone,
    getTone(status),
  ])
  expect(tones).toEqual([
    ['bad', 'bad'],
    ['good', 'good'],
    ['good', 'good'],
    ['bad', 'warn'],
    ['bad', 'warn'],
    ['bad', 'bad'],
    ['bad', 'bad'],
  ])
})

test.each([
  ['a number', showNumber, '+15550100001'],
  ['text', showText, 'Ada +15550100001'],
  ['a body', showBody, '{"customerNumber":"+15550100001"}'],
  ["a group's description", showBody, '{"description":"Order of +15550100001"}'],
  ["a group's subject", showBody, '{"subject":"Order of +15550100001"}'],
  ["a group's name", showBody, '{"groupName":"Order of +15550100001"}'],
  ['a body that is not JSON', showBody, 'customerNumber=+15550100001'],
])('masks %s only while masking is on', (_, show, text) => {
  onTestFinished(() => {
    masking.value = 'off'
  })
  expect(show(text)).toBe(text)
  masking.value = 'on'
  expect(show(text)).not.toContain('555')
})

test('a CSV file has the fields of each record, no formula and, with masking on, no personal data', () => {
  onTestFinished(() => {
    masking.value = 'off'
  })
  const payload = '{"customerNumber":"+15550100001","note":"a"}'
  const records = [
    { id: 'e1', customerNumber: '+15550100001', text: '=1+1', payload },
    { id: 'e2', wait: { reason: 'x' }, text: 'two\n"lines", -1', count: -2, at: null },
    { id: 'e3', text: '-1+cmd', customerNumber: '@x' },
  ]
  expect(formatCsv(records)).toBe(
    [
      'id,customerNumber,text,payload,wait,count,at',
      `e1,+15550100001,'=1+1,"{""customerNumber"":""+15550100001"",""note"":""a""}",,,`,
      `e2,,"two\n""lines"", -1",,"{""reason"":""x""}",-2,`,
      "e3,'@x,'-1+cmd,,,,",
      '',
    ].join('\r\n'),
  )
  masking.value = 'on'
  expect(formatCsv(records)).not.toContain('5550100001')
  expect(formatCsv([{ address: '127.0.0.1', userAgent: 'ana/1' }])).toBe('address,userAgent\r\n***,***\r\n')
})

test.each([
  ['CALL_AI_SUMMARY', { customerNumber: '+15550100001', summary: { recap: 'They asked.' } }, 'They asked.'],
  ['GROUP_PARTICIPANT_JOINED', { groupName: 'Team', customerPhone: '+15550100001' }, '+15550100001'],
  ['CALL_ENDED', { callDirection: 'INCOMING', durationInSeconds: 42 }, 'incoming · 42\u00a0s'],
  ['GROUP_CREATED', { groupName: 'Team' }, undefined],
  ['any', { customerNumber: 7, summary: null, durationInSeconds: '1', callDirection: [] }, undefined],
  ['any', null, undefined],
])('an event tells what its payload says: %s %j', (event, payload, text) => {
  const { customerNumber, groupName } = Object(payload)
  expect(readEvent(JSON.stringify(payload && { event, ...payload }))).toEqual({
    ...(typeof customerNumber === 'string' && { customerNumber }),
    ...(groupName && { groupName }),
    text,
  })
  expect(readEvent('no JSON')).toEqual({})
})

test('a success rate below 100 % is never shown as 100 %', () => {
  expect([1, 0.99999, 0.5, 0, null].map(formatRate)).toEqual(['100 %', '99.9 %', '50 %', '0 %', '–'])
})

test('formats counts, latencies and ages, and nothing that is not known as zero', () => {
  expect([0, 999, 1_234, 1_234_567, null].map(formatCount)).toEqual(['0', '999', '1,234', '1,234,567', '–'])
  expect([0, 999, 12_540, 999_950].map(formatShort)).toEqual(['0', '999', '12.5K', '1M'])
  expect([50, 2_500, null].map(formatLatency)).toEqual(['≤\u00a050\u00a0ms', '≤\u00a02.5\u00a0s', '–'])
  const now = Date.now()
  using _now = vi.spyOn(Date, 'now').mockReturnValue(now)
  const ages = [90_000, 0, -5_000].map((ms) => formatAge(new Date(now - ms).toISOString()))
  expect([...ages, formatAge(null)]).toEqual(['1\u00a0m\u00a030\u00a0s', '0\u00a0ms', '0\u00a0ms', ''])
})

test('names a choice by its label, and several values of a link in words', () => {
  const choices = [
    { value: 'pending,waiting', label: 'unfinished' },
    ...toChoices(['400'], (code) => `HTTP ${code}`),
  ]
  const names = ['pending,waiting', '400', '500', '400,401,403'].map((value) => nameChoice(choices, value))
  expect(names).toEqual(['unfinished', 'HTTP 400', '500', '400, 401 or 403'])
})

test('a day is named only if it is not today', () => {
  expect([formatDay(new Date().toISOString()), formatDay('2026-01-05T12:00:00.000Z')]).toEqual(['', 'Jan 5'])
})

test('a time has two digits for each part, and three for the milliseconds', () => {
  const at = new Date(2026, 0, 5, 7, 4, 9, 42)
  expect(formatTime(at.toISOString())).toBe('07:04:09.042')
  expect(formatFull(at.toISOString())).toBe(`Jan 5, 2026 07:04:09.042 ${getZone(at)}`)
})

test.each([
  [0, 'UTC'],
  [-330, 'UTC+05:30'],
  [210, 'UTC-03:30'],
])('a zone with an offset of %i minutes is %s', (minutes, zone) => {
  expect(getZone(Object.assign(new Date(), { getTimezoneOffset: () => minutes }))).toBe(zone)
})

test.each([
  [999, '999 ms'],
  [1_000, '1 s'],
  [9_500, '9.5 s'],
  [12_500, '12 s'],
  [90_000, '1 m 30 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
])('a duration of %i ms is %s', (ms, text) => {
  expect(formatDuration(ms), 'does not break').toBe(text.replaceAll(' ', '\u00a0'))
})

const schemas = {
  Request: {
    required: ['name'],
    properties: {
      summary: {
        anyOf: [{ const: false }, { $ref: '#/components/schemas/Summary' }],
        description: 'Its parts, or none.',
      },
      name: { type: 'string' },
      count: { type: 'integer' },
    },
  },
  Summary: {
    properties: {
      recap: { type: 'string' },
      keyPoints: { type: 'array' },
      after: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    },
  },
} as const

const fields = listFields(schemas, 'Request')

const read = (values: Readonly<Record<string, string>>, of: readonly Field[] = fields) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(values)) data.append(name, value)
  return readFields(of, data)
}

const listIssues = (values: Readonly<Record<string, string>>): string[] => {
  try {
    read(values)
    return []
  } catch (error) {
    return error instanceof ApiError ? error.issues.map(({ path, message }) => `${path} ${message}`) : []
  }
}

test('an object in a request becomes a field for each of its parts, after the required fields', () => {
  expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'name text',
    'summary choice',
    'count number',
    'summary.recap text',
    'summary.after text',
    'summary.keyPoints lines',
  ])
})

test('builds a request from the fields, without the empty ones', () => {
  expect(
    read({ name: ' call ', count: '3', 'summary.keyPoints': 'one\n\n two ', 'summary.after': '30s' }),
  ).toEqual({
    name: 'call',
    count: 3,
    summary: { keyPoints: ['one', 'two'], after: '30s' },
  })
  expect(read({ name: 'call', summary: 'none' })).toEqual({ name: 'call', summary: false })
})

test('several choices are a list, and none of them is no value', () => {
  const events: Field = { name: 'events', description: '', kind: 'several' }
  const data = new FormData()
  for (const name of ['CALL_ENDED', 'CALL_MISSED']) data.append('events', name)
  expect(readFields([events], data)).toEqual({ events: ['CALL_ENDED', 'CALL_MISSED'] })
  expect(read({}, [events])).toEqual({})
})

test('names every field with an invalid value', () => {
  expect(listIssues({ name: 'a', count: 'many', summary: 'none', 'summary.recap': 'lost?' })).toEqual([
    'count must be a number',
    'summary.recap must be empty, because there is none',
  ])
})

test.each(['on', 'off'] as const)(
  'shows a body that is nested too deeply to be indented, with masking %s',
  (masked) => {
    masking.value = masked
    onTestFinished(() => {
      masking.value = 'off'
    })
    const payload = `{"groupName":"Ana","deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const shown = formatFixture({ payload, name: 'GROUP_CREATED' })
    expect(shown).toContain(masked === 'on' ? '***' : 'Ana')
    expect(shown.includes('Ana')).toBe(masked === 'off')
  },
)
