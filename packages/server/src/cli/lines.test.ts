import { expect, test } from 'vitest'
import { attemptLine, eventLine } from './lines.ts'
import { outputOf } from './output.ts'

const injected = '\u001b[2J\u009b1A\u202e\n12:00:00 --> FORGED'
const output = outputOf({ format: 'pretty' })
const colours = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

test('a line of an event stays one line, whatever the server says', () => {
  const line = eventLine(output, { name: injected, id: injected })

  expect(line.replace(colours, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(line).toContain('\\u000a12:00:00 --> FORGED')
})

test('a line of an attempt stays one line, whatever the endpoint says', () => {
  const line = attemptLine(output, { status: null, error: injected, url: injected, durationMs: 1 })

  expect(line.replace(colours, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(line.match(/FORGED/g)).toHaveLength(2)
})
