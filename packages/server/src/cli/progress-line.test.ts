import { expect, test, vi } from 'vitest'
import { createLatestLine, createProgressLine } from './progress-line.ts'

const show = (isTTY: boolean): string => {
  let written = ''
  const write = (text: string): boolean => {
    written += text
    return true
  }
  const line = createProgressLine({ isTTY, write })
  for (const step of ['copying', 'comparing']) {
    for (const rows of [1, 2, 3]) line.show(step, () => `${step} ${rows}`)
  }
  line.end()
  return written
}

test('on a terminal, progress is one line, which is redrawn and removed at the end', () => {
  expect(show(true)).toBe('\r\x1b[Kcopying 1\r\x1b[Kcomparing 1\r\x1b[K')
})

test('elsewhere, progress is one line per step, at limited intervals', () => {
  expect(show(false)).toBe('copying 1\ncomparing 1\n')
})

test.each([
  { isTTY: true, written: '\r\x1b[Kchecked 1\r\x1b[K' },
  { isTTY: false, written: 'checked 1\nchecked 1\n' },
])(
  'the latest state is shown at once on a terminal, and else every 15 seconds: $isTTY',
  ({ isTTY, written }) => {
    vi.useFakeTimers()
    try {
      const write = vi.fn(() => true)
      const line = createLatestLine(() => 'checked 1', { isTTY, write })
      line.update()
      vi.advanceTimersByTime(31_000)
      line.end()
      vi.advanceTimersByTime(31_000)
      expect(write.mock.calls.flat().join('')).toBe(written)
    } finally {
      vi.useRealTimers()
    }
  },
)
