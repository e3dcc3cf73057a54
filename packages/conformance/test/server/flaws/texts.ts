import {
  acceptAs,
  acceptField,
  acceptText,
  type BrokenServer,
  countCharacters,
  countingGraphemes,
  encode,
  isCreate,
  refuseField,
  refuseText,
  swapStatus,
} from '../mutations.ts'

/** Servers with one mistake each in subjects and descriptions. */
export const createTextFlaws = (): BrokenServer[] => [
  {
    name: 'accepts an empty subject',
    caughtBy: 'create.subject.empty-is-400',
    ...acceptField('subject', (value) => value === ''),
  },
  {
    name: 'accepts a missing subject',
    caughtBy: 'create.subject.missing-is-400',
    ...acceptField('subject', (value) => value === undefined),
  },
  {
    name: 'accepts a number as subject',
    caughtBy: 'create.subject.number-is-400',
    ...acceptField('subject', (value) => typeof value === 'number'),
  },
  {
    name: 'accepts null as subject',
    caughtBy: 'create.subject.null-is-400',
    ...acceptField('subject', (value) => value === null),
  },
  {
    name: 'accepts a subject of 129 characters',
    caughtBy: 'create.subject.129-is-400',
    ...acceptField('subject', (value) => typeof value === 'string' && value.length === 129),
  },
  {
    name: 'does not count emoji',
    caughtBy: 'create.subject.129-emoji-is-400',
    ...acceptField('subject', (value) => countCharacters(value) === 129 && String(value).length > 129),
  },
  {
    name: 'accepts a NUL',
    caughtBy: 'create.subject.nul-is-400',
    ...acceptField('subject', (value) => String(value).includes('\0')),
  },
  {
    name: 'accepts a lone surrogate',
    caughtBy: 'create.subject.lone-surrogate-is-400',
    ...acceptField('subject', (value) => String(value).includes('\ud800') && String(value).length < 5),
  },
  {
    name: 'accepts a description of 2049 characters',
    caughtBy: 'create.description.2049-is-400',
    ...acceptField('description', (value) => countCharacters(value) === 2049),
  },
  {
    name: 'accepts a number as description',
    caughtBy: 'create.description.number-is-400',
    ...acceptField('description', (value) => typeof value === 'number'),
  },
  {
    name: 'allows only 127 characters',
    caughtBy: 'create.subject.128-is-200',
    ...refuseField('subject', (value) => value === 's'.repeat(128)),
  },
  {
    name: 'counts UTF-16 code units',
    caughtBy: 'create.subject.128-emoji-is-200',
    ...refuseField('subject', (value) => typeof value === 'string' && value.length > 128),
  },
  {
    name: 'requires two characters in a subject',
    caughtBy: 'create.subject.one-character-is-200',
    ...refuseField('subject', (value) => value === 'x'),
  },
  {
    name: 'accepts only ASCII',
    caughtBy: 'create.subject.non-ascii-is-200',
    ...refuseField('subject', (value) => String(value).includes('東')),
  },
  {
    name: 'trims the subject before validating it',
    caughtBy: 'create.subject.whitespace-is-200',
    ...refuseField('subject', (value) => value === ' '),
  },
  {
    name: 'refuses an empty description',
    caughtBy: 'create.description.empty-is-200',
    ...refuseField('description', (value) => value === ''),
  },
  {
    name: 'allows 2047 characters of description',
    caughtBy: 'create.description.2048-is-200',
    ...refuseField('description', (value) => value === 'd'.repeat(2048)),
  },
  {
    name: 'responds 422 to invalid fields',
    caughtBy: 'create.subject.empty-is-400',
    ...swapStatus(400, 422, isCreate),
  },
  {
    name: 'accepts NUL in a description',
    caughtBy: 'create.description.nul-is-400',
    ...acceptText('description', '\0'),
  },
  {
    name: 'counts the graphemes of a subject',
    caughtBy: 'create.subject.129-in-few-graphemes-is-400',
    ...countingGraphemes('subject', 128),
  },
  {
    name: 'counts the characters of a subject after composing them',
    caughtBy: 'create.subject.130-decomposed-is-400',
    ...acceptAs('subject', (text) => text.normalize('NFC')),
  },
  {
    name: 'counts the graphemes of a description',
    caughtBy: 'create.description.2049-in-few-graphemes-is-400',
    ...countingGraphemes('description', 2_048),
  },
  {
    name: 'counts the bytes of a subject',
    caughtBy: 'create.subject.128-non-ascii-is-200',
    ...refuseText('subject', (text) => encode(text).length > 128),
  },
  {
    name: 'counts the bytes of a description',
    caughtBy: 'create.description.2048-non-ascii-is-200',
    ...refuseText('description', (text) => encode(text).length > 2_048),
  },
  {
    name: 'reads a list of one subject as the subject',
    caughtBy: 'create.subject.list-is-400',
    ...acceptField('subject', Array.isArray),
  },
  {
    name: 'reads true as a subject',
    caughtBy: 'create.subject.true-is-400',
    ...acceptField('subject', (value) => value === true),
  },
  {
    name: 'reads a list as a description',
    caughtBy: 'create.description.list-is-400',
    ...acceptField('description', Array.isArray),
  },
  {
    name: 'trims subjects before it counts their characters',
    caughtBy: 'create.subject.129-with-a-space-is-400',
    ...acceptAs('subject', (subject) => subject.trim()),
  },
  {
    name: 'does not count the emoji of a description',
    caughtBy: 'create.description.2049-emoji-is-400',
    ...acceptAs('description', (description) => description.replaceAll('🙂', '')),
  },
  {
    name: 'refuses quotation marks in subjects',
    caughtBy: 'create.subject.punctuation-is-200',
    ...refuseText('subject', (subject) => subject.includes('"')),
  },
  {
    name: 'refuses line breaks in descriptions',
    caughtBy: 'create.description.several-lines-is-200',
    ...refuseText('description', (description) => description.includes('\n')),
  },
]
