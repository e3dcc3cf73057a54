import { expect, test } from 'vitest'
import { parseMessage } from './follow.ts'

test('a message of the stream has a name, an id and the data of all its lines', () => {
  expect(parseMessage('event: event\nid: evt_1\ndata: {\ndata: }')).toEqual({
    name: 'event',
    id: 'evt_1',
    data: '{\n}',
  })
  expect(parseMessage('data:1')).toEqual({ name: 'message', id: undefined, data: '1' })
  expect(parseMessage(': a comment')).toBeUndefined()
})

test('a message is read if it contains U+2028, which JSON does not escape', () => {
  expect(parseMessage('event: event\ndata: "a\u2028b"')?.data).toBe('"a\u2028b"')
})
