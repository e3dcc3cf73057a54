import { expect, test } from 'vitest'
import { InputError } from './operation-errors.ts'
import { RecordNotFoundError } from './record-errors.ts'
import { RequestRefusedError } from './request-refused-error.ts'
import { StorageOutcomeUnknownError, StorageUnavailableError } from './storage-errors.ts'

test('an InputError lists every issue, with its field unless the whole input is meant', () => {
  const issues = [
    { path: '', message: 'must be an object' },
    { path: 'url', message: 'must be an absolute URL' },
  ]
  expect(new InputError(issues).message).toBe('must be an object; url: must be an absolute URL')
})

test('a RecordNotFoundError names the record, and the organization as the place to look', () => {
  expect(new RecordNotFoundError('call', 'c1').message).toBe('There is no call "c1" in this organization.')
  expect(new RecordNotFoundError('organization', 'o1').message).toBe('There is no organization "o1".')
})

test('an error has its name where it is printed', () => {
  const errors = [
    new RequestRefusedError('invalid_body', 'no'),
    new StorageUnavailableError('no'),
    new StorageOutcomeUnknownError('no'),
  ]
  expect(errors.map(String)).toEqual([
    'RequestRefusedError: no',
    'StorageUnavailableError: no',
    'StorageOutcomeUnknownError: no',
  ])
})
