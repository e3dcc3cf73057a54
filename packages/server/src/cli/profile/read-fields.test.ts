import { expect, test } from 'vitest'
import { readFields } from './read-fields.ts'

const read = (body: string) => {
  const type = ['content-type', 'multipart/form-data; boundary="x-1"'] as const
  return readFields({ method: 'POST', path: '/', headers: [type], body: Buffer.from(body) })
}

test('finds the texts of a form, whatever else the heads of its parts contain', () => {
  const parts = [
    'Content-Disposition: form-data; name="event"\r\n\r\nCALL_ENDED',
    'content-type: text/plain\r\ncontent-disposition: form-data; name="callId"\r\n\r\n--c\r\n1',
    'content-disposition: form-data\r\n\r\nwithout a name',
  ]
  expect(read(`${parts.map((part) => `--x-1\r\n${part}\r\n`).join('')}--x-1--\r\n`)).toEqual({
    format: 'multipart',
    fields: { event: 'CALL_ENDED', callId: '--c\r\n1' },
  })
})

test('takes no longer for a form that begins again and again', () => {
  const startedAt = process.cpuUsage()
  read('content-disposition: name="'.repeat(750))
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(500)
})
