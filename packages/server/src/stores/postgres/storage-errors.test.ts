import pg from 'pg'
import { expect, test } from 'vitest'
import { toReadError, toStorageError } from './storage-errors.ts'

const answer = (severity: string, code: string): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('what happened', 0, 'error'), { severity, code })

test.each([
  ['a full disk', answer('ERROR', '53100'), 'storage_unavailable'],
  ['a full disk that stops the server', answer('PANIC', '53100'), 'outcome_unknown'],
  ['a deadlock', answer('ERROR', '40P01'), 'storage_unavailable'],
  ['a deadlock, in German', answer('FEHLER', '40P01'), 'storage_unavailable'],
  ['a time limit', answer('ERROR', '57014'), 'storage_unavailable'],
  ['a server that only reads', answer('ERROR', '25006'), 'storage_unavailable'],
  ['a terminated backend', answer('FATAL', '57P01'), 'outcome_unknown'],
  ['a terminated backend, in Russian', answer('ВАЖНО', '57P01'), 'outcome_unknown'],
  ['a transaction that took too long', answer('FATAL', '25P04'), 'outcome_unknown'],
  ['a pooler that lost the server', answer('ERROR', '08006'), 'outcome_unknown'],
  ['a connection that was lost', new Error('Connection terminated unexpectedly'), 'outcome_unknown'],
])('%s means the right one of unavailable and unknown', (_, error, code) => {
  expect(toStorageError(error, true)).toMatchObject({ code, cause: error })
  expect(toStorageError(error, false)).toMatchObject({ code: 'storage_unavailable', cause: error })
  expect(toReadError(toStorageError(error, true))).toMatchObject({
    code: 'storage_unavailable',
    cause: error,
  })
})

test('does not change an error caused by the statement', () => {
  for (const severity of ['ERROR', 'FEHLER']) {
    const error = answer(severity, '23505')
    expect(toStorageError(error, true)).toBe(error)
  }
})
