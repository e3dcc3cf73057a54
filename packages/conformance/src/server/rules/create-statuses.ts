import { type ApiRequest, readField } from '../api/api-request.ts'
import { buildCreate, type Lab, unknownNumber } from '../lab.ts'
import type { ServerRule, ServerRules } from '../server-rule.ts'
import { expectStatus, respell } from './witness.ts'

/**
 * Invalid and valid requests by the last two parts of the rule id, which ends with the expected status. Each sample
 * has a description, a change to a valid request, and a clause.
 */
type Samples<Change> = Readonly<
  Record<string, Readonly<Record<string, readonly [what: string, change: Change, clause: string]>>>
>

const table = '"Group creation request"'
const subject = `${table}: subject is a required string`
const description = `${table}: description is an optional string`
const mode = `${table}: joinApprovalMode`
const groupId = `${table}: groupId is an optional string`
const number = `${table}: wabaNumber is a required string`
const noIntegration = 'rule 1 of "Create WhatsApp group"'
const invalid = 'rule 2 of "Create WhatsApp group"'
const lengths = '"Limits"'
const errors = '"Errors": missing or invalid fields'
const codePoints = '0001 (lengths count code points)'
const storable = '0001 (texts are storable Unicode)'
const bodies = '0007 (request bodies)'
const order = '0008 (order of checks)'
const nulls = '0001 (lengths and identifiers)'

/** A grapheme of 7 code points. */
const family = '👨‍👩‍👧‍👦'

/** Returns a new group id of this length. */
const withLength =
  (length: number, fill = 'x') =>
  (lab: Lab): string => {
    const start = lab.createGroupId()
    return start + fill.repeat(length - start.length)
  }

const withEnding =
  (ending: string) =>
  (lab: Lab): string =>
    lab.createGroupId() + ending

/** Returns the id of this run's first group in capitals. */
const capitalize = ({ exchanges }: Lab): string =>
  String(
    readField(exchanges.find(({ response }) => response.status === 200)?.response.json, 'groupId'),
  ).toUpperCase()

/** Sample values of each field. The first part of the rule id is the field's name in kebab case. */
const fieldSamples: Samples<
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly string[]
  | Readonly<Record<string, string>>
  | ((lab: Lab) => string | number | readonly string[])
> = {
  subject: {
    'empty-is-400': ['An empty subject', '', `${table}, ${invalid}`],
    'missing-is-400': ['A request without a subject', undefined, subject],
    'number-is-400': ['A subject that is not a string', 42, subject],
    'null-is-400': ['A subject that is null', null, subject],
    'true-is-400': ['A subject that is true', true, subject],
    'list-is-400': ['A subject that is a list', ['Acceptance check'], subject],
    'object-is-400': ['A subject that is an object', { text: 'Acceptance check' }, subject],
    'digit-zero-is-200': ['A subject that is the digit zero', '0', subject],
    'one-character-is-200': ['A subject of one character', 'x', subject],
    '128-is-200': ['A subject of 128 characters', 's'.repeat(128), lengths],
    '129-is-400': ['A subject of 129 characters', 's'.repeat(129), lengths],
    '128-emoji-is-200': ['A subject of 128 emoji', '🙂'.repeat(128), codePoints],
    '129-emoji-is-400': ['A subject of 129 emoji', '🙂'.repeat(129), lengths],
    '128-non-ascii-is-200': ['A subject of 128 characters, 256 bytes,', 'ü'.repeat(128), lengths],
    '129-in-few-graphemes-is-400': [
      'A subject of 129 code points in 21 graphemes',
      `${family.repeat(18)}${'s'.repeat(3)}`,
      lengths,
    ],
    '130-decomposed-is-400': [
      'A subject of 130 code points that can be composed to 65',
      'e\u0301'.repeat(65),
      lengths,
    ],
    '129-with-a-space-is-400': [
      'A subject of 129 characters, the last one a space,',
      `${'s'.repeat(128)} `,
      lengths,
    ],
    'non-ascii-is-200': ['A subject in any script', 'Größe 東京 مرحبا', subject],
    'punctuation-is-200': [
      'A subject with quotation marks and markup',
      `It's "here"; -- <b>50 % \\`,
      subject,
    ],
    'whitespace-is-200': ['A subject of whitespace', ' ', nulls],
    'nul-is-400': ['A subject with a NUL', 'a\0b', storable],
    'lone-surrogate-is-400': ['A subject with a lone surrogate', 'a\ud800', storable],
  },
  description: {
    'omitted-is-200': ['A request without a description', undefined, description],
    'empty-is-200': ['An empty description', '', description],
    '2048-is-200': ['A description of 2048 characters', 'd'.repeat(2_048), lengths],
    '2049-is-400': ['A description of 2049 characters', 'd'.repeat(2_049), lengths],
    '2048-emoji-is-200': ['A description of 2048 emoji', '🙂'.repeat(2_048), codePoints],
    '2048-non-ascii-is-200': ['A description of 2048 characters, 4096 bytes,', 'ü'.repeat(2_048), lengths],
    '2049-in-few-graphemes-is-400': [
      'A description of 2049 code points in 297 graphemes',
      `${family.repeat(292)}${'d'.repeat(5)}`,
      lengths,
    ],
    '2049-emoji-is-400': ['A description of 2049 emoji', '🙂'.repeat(2_049), lengths],
    'several-lines-is-200': [
      'A description of several lines',
      'First line.\nIt\'s the "second".',
      description,
    ],
    'number-is-400': ['A description that is not a string', 42, description],
    '2049-with-a-space-is-400': [
      'A description of 2049 characters, the last one a space,',
      `${'d'.repeat(2_048)} `,
      lengths,
    ],
    'list-is-400': ['A description that is a list', ['About'], description],
    'object-is-400': ['A description that is an object', { text: 'About' }, description],
    'false-is-400': ['A description that is false', false, description],
    'zero-is-400': ['A description that is the number zero', 0, description],
    'nul-is-400': ['A description with a NUL', 'a\0b', storable],
    'lone-surrogate-is-400': ['A description with a lone surrogate', 'a\ud800', storable],
    'null-is-400': ['A description that is null', null, nulls],
  },
  'join-approval-mode': {
    'auto-approve-is-200': ['auto_approve', 'auto_approve', mode],
    'approval-required-is-200': ['approval_required', 'approval_required', mode],
    'other-is-400': ['Any other join approval mode', 'open', invalid],
    'upper-case-is-400': ['A join approval mode in capitals', 'AUTO_APPROVE', invalid],
    'with-a-space-is-400': ['A join approval mode with a space after it', 'auto_approve ', invalid],
    'longer-is-400': ['A join approval mode with more after it', 'auto_approve_all', invalid],
    'with-a-hyphen-is-400': ['A join approval mode with a hyphen', 'auto-approve', invalid],
    'empty-is-400': ['An empty join approval mode', '', invalid],
    'false-is-400': ['A join approval mode that is false', false, invalid],
    'zero-is-400': ['A join approval mode that is the number zero', 0, invalid],
    'inherited-name-is-400': [
      'A join approval mode that is the name of an inherited property of JavaScript objects',
      'constructor',
      invalid,
    ],
    'true-is-400': ['A join approval mode that is true', true, invalid],
    'list-is-400': ['A join approval mode that is a list', ['auto_approve'], invalid],
    'null-is-400': ['A join approval mode that is null', null, nulls],
  },
  'group-id': {
    'omitted-is-200': ['A request without a group id', undefined, groupId],
    '50-is-200': ['A group id of 50 characters', withLength(50), lengths],
    '51-is-400': ['A group id of 51 characters', withLength(51), lengths],
    '50-with-emoji-is-200': [
      'A group id of 50 characters, most of them emoji,',
      withLength(50, '🙂'),
      codePoints,
    ],
    '50-non-ascii-is-200': ['A group id of 50 characters with more bytes', withLength(50, 'ü'), lengths],
    '51-in-few-graphemes-is-400': [
      'A group id of 51 code points in few graphemes',
      withLength(51, '\u0301'),
      lengths,
    ],
    'decomposed-is-200': ['A group id that can be composed', withEnding('-e\u0301'), codePoints],
    'digits-is-200': ['A group id of digits, with zeros before them,', () => `00${Date.now()}`, groupId],
    'with-spaces-is-200': ['A group id with spaces at both ends', (lab) => ` ${lab.createGroupId()} `, nulls],
    'in-capitals-is-200': ['A group id that differs from another one only in its case', capitalize, nulls],
    'punctuation-is-200': [
      'A group id with punctuation',
      (lab) => `${lab.createGroupId()}/'a'?b=c&d#e`,
      nulls,
    ],
    '51-with-a-space-is-400': [
      'A group id of 51 characters, the last one a space,',
      (lab) => `${withLength(50)(lab)} `,
      lengths,
    ],
    'number-is-400': ['A group id that is not a string', 42, groupId],
    'list-is-400': ['A group id that is a list', (lab) => [lab.createGroupId()], groupId],
    'false-is-400': ['A group id that is false', false, groupId],
    'zero-is-400': ['A group id that is the number zero', 0, groupId],
    'empty-is-400': ['An empty group id', '', '0001 (empty identifiers)'],
    'nul-is-400': ['A group id with a NUL', withEnding('\0b'), storable],
    'lone-surrogate-is-400': ['A group id with a lone surrogate', withEnding('\ud800'), storable],
    'null-is-400': ['A group id that is null', null, nulls],
  },
  'waba-number': {
    'missing-is-400': ['A request without a WABA number', undefined, number],
    'number-is-400': [
      'The WABA number as a number instead of a string',
      ({ wabaNumber }) => Number(wabaNumber.replace(/\D/g, '')),
      number,
    ],
    'list-is-400': ['A WABA number that is a list', ({ wabaNumber }) => [wabaNumber], number],
    'unknown-is-400': ['A WABA number without an integration', unknownNumber, noIntegration],
    'text-is-400': ['A WABA number without digits', 'main', noIntegration],
    'plus-alone-is-400': ['A WABA number that is a plus sign', '+', noIntegration],
    'longer-is-400': [
      'A WABA number with another digit',
      ({ wabaNumber }) => `${wabaNumber}0`,
      noIntegration,
    ],
    'cut-is-400': [
      'A WABA number without its last digit',
      ({ wabaNumber }) => wabaNumber.slice(0, -1),
      noIntegration,
    ],
    'other-country-is-400': [
      'A WABA number with another first digit',
      ({ wabaNumber }) => wabaNumber.replace(/\d/, (digit) => String((Number(digit) % 9) + 1)),
      noIntegration,
    ],
    'with-a-digit-before-is-400': [
      'A WABA number with another digit before it',
      ({ wabaNumber }) => wabaNumber.replace(/\d/, '9$&'),
      noIntegration,
    ],
    'without-the-first-digit-is-400': [
      'A WABA number without its first digit',
      ({ wabaNumber }) => wabaNumber.replace(/\d/, ''),
      noIntegration,
    ],
    'with-a-letter-is-400': [
      'A WABA number with a letter',
      ({ wabaNumber }) => `${wabaNumber}x`,
      '0002 (numbers compare by digits)',
    ],
    'empty-is-400': ['An empty WABA number', '', noIntegration],
    'other-spelling-is-200': [
      'The WABA number without the plus sign, with a space and a hyphen,',
      ({ wabaNumber }) => respell(wabaNumber),
      '0002 (numbers compare by digits)',
    ],
  },
}

type Change = Partial<ApiRequest> & {
  readonly fields?: object
  /** Size in bytes to which the body is padded with spaces. */
  readonly padTo?: number
  /** Text after the body. */
  readonly ending?: string
}

const requestSamples: Samples<Change> = {
  body: {
    'unknown-field-is-200': [
      'An unknown field',
      { fields: { colorOfTheGroup: 'green' } },
      '0003 (unknown fields)',
    ],
    'empty-object-is-400': ['An empty object', { body: '{}' }, errors],
    'array-is-400': ['A body that is an array', { body: '[]' }, errors],
    'null-is-400': ['A body that is null', { body: 'null' }, errors],
    'missing-is-400': ['A request without a body', { body: '' }, errors],
    'malformed-json-is-400': ['Malformed JSON', { body: '{"subject":' }, bodies],
    'trailing-text-is-400': ['A JSON object with text after it', { ending: ' {' }, bodies],
    'field-in-other-case-is-200': [
      'An unknown field whose name differs from a known one only in its case',
      { fields: { Subject: '' } },
      '0003 (unknown fields)',
    ],
    'too-large-is-413': ['A body of more than 64 KiB', { body: ' '.repeat(65_537) }, bodies],
    '64-kib-is-200': ['A body of exactly 64 KiB', { padTo: 65_536 }, bodies],
    'json-suffix-is-415': [
      'A content type that ends in +json',
      { contentType: 'application/vnd.api+json' },
      bodies,
    ],
    'longer-type-is-415': [
      'A content type that only begins with application/json',
      { contentType: 'application/jsonp' },
      bodies,
    ],
    'text-is-415': ['A body that is not application/json', { contentType: 'text/plain' }, bodies],
    'latin-1-is-415': [
      'A body in a charset other than UTF-8',
      { contentType: 'application/json; charset=iso-8859-1' },
      bodies,
    ],
    'type-in-capitals-is-200': [
      'A content type in capitals',
      { contentType: 'Application/JSON' },
      'RFC 9110, section 8.3.1',
    ],
    'utf-8-charset-is-200': [
      'application/json with charset=utf-8',
      { contentType: 'application/json; charset=utf-8' },
      bodies,
    ],
  },
  key: {
    'bearer-is-200': ['A key after Bearer', { keyPrefix: 'Bearer ' }, '0005 (API key header)'],
    'unknown-before-the-body-is-401': [
      'An unknown key with a malformed body',
      { key: 'unknown', body: '{' },
      order,
    ],
  },
}

const toRules = <Change>(
  samples: Samples<Change>,
  build: (lab: Lab, change: Change, group: string) => ApiRequest,
): ServerRules =>
  Object.fromEntries(
    Object.entries(samples).flatMap(([group, entries]) =>
      Object.entries(entries).map(([id, [what, change, clause]]): [string, ServerRule] => {
        const title = `${what} is ${id.endsWith('-200') ? 'accepted' : 'refused'}`
        const status = Number(id.slice(-3))
        const expectation = expectStatus(status, (lab) => build(lab, change, group))
        return [`create.${group}.${id}`, { title, clause, ...expectation }]
      }),
    ),
  )

export const createStatusRules: ServerRules = {
  ...toRules(fieldSamples, (lab, value, group) => {
    const field = group.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
    return buildCreate(lab, { [field]: typeof value === 'function' ? value(lab) : value })
  }),
  ...toRules(requestSamples, (lab, { fields = {}, padTo = 0, ending = '', ...request }) => {
    const built = buildCreate(lab, fields, request)
    return { ...built, body: built.body?.padEnd(padTo).concat(ending) }
  }),
}
