import { expect, test } from 'vitest'
import { formatAttempt, formatEvent } from './lines.ts'
import { createOutput } from './output.ts'

const injected = '\u001b[2J\u009b1A\u202e\n12:00:00 --> FORGED'
const output = createOutput({ format: 'pretty' })
const colors = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

test('a line of an event stays one line, whatever the server says', () => {
  const line = formatEvent(output, { name: injected, id: injected })

  expect(line.replace(colors, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(line).toContain('\\u000a12:00:00 --> FORGED')
})

test('a line of an attempt stays one line, whatever the endpoint says', () => {
  const line = formatAttempt(output, { status: null, error: injected, url: injected, durationMs: 1 })

  expect(line.replace(colors, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(line.match(/FORGED/g)).toHaveLength(2)
})
