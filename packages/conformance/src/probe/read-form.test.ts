import { expect, test } from 'vitest'
import { readForm } from './read-form.ts'

test('a response has the group id as sent only if the request had one', () => {
  const read = (body: object, groupId?: string) =>
    readForm({ status: 200, headers: {}, body: JSON.stringify(body) }, { groupId }).fields.groupId
  expect([
    read({ groupId: 'g' }, 'g'),
    read({ groupId: 'x' }, 'g'),
    read({ groupId: 'g' }),
    read({}),
  ]).toEqual(['as-sent', 'string', 'string', undefined])
})
