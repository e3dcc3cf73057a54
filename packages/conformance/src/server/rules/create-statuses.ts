import type { ApiRequest } from '../api/api-request.ts'
import { buildCreate, type Lab, unknownNumber } from '../lab.ts'
import { type Rule, type Rules, setDefaults } from '../rule.ts'
import { expectStatus } from './witness.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Requests by rule id without its prefix `create.`: a description, the change to a valid request, and the clause. The
 * id ends with the expected status.
 */
type Samples<Change> = Readonly<Record<string, readonly [what: string, change: Change, clause: string]>>

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
const noKey = 'rule 2 of "Authentication"'
const codePoints = '0001 (lengths count code points)'
const storable = '0002 (texts are storable Unicode)'
const bodies = '0005 (request bodies)'
const order = '0008 (order of checks)'
const nulls = '0010 (repeated group id)'

/** Returns a new group id of this length. */
const withGroupId =
  (length: number, fill = 'x') =>
  (lab: Lab): Fields => {
    const start = lab.createGroupId()
    return { groupId: start + fill.repeat(length - start.length) }
  }

const withEnding =
  (ending: string) =>
  (lab: Lab): Fields => ({ groupId: lab.createGroupId() + ending })

const respell = ({ wabaNumber }: Lab): Fields => ({
  wabaNumber: wabaNumber.replace(/\D/g, '').replace(/^(\d)(\d{3})/, '$1 $2-'),
})

const fieldSamples: Samples<Fields | ((lab: Lab) => Fields)> = {
  'subject.empty-is-400': ['An empty subject', { subject: '' }, `${table}, ${invalid}`],
  'subject.missing-is-400': ['A request without a subject', { subject: undefined }, subject],
  'subject.number-is-400': ['A subject that is not a string', { subject: 42 }, subject],
  'subject.null-is-400': ['A subject that is null', { subject: null }, subject],
  'subject.one-character-is-200': ['A subject of one character', { subject: 'x' }, subject],
  'subject.128-is-200': ['A subject of 128 characters', { subject: 's'.repeat(128) }, lengths],
  'subject.129-is-400': ['A subject of 129 characters', { subject: 's'.repeat(129) }, lengths],
  'subject.128-emoji-is-200': ['A subject of 128 emoji', { subject: '🙂'.repeat(128) }, codePoints],
  'subject.129-emoji-is-400': ['A subject of 129 emoji', { subject: '🙂'.repeat(129) }, lengths],
  'subject.non-ascii-is-200': ['A subject in any script', { subject: 'Größe 東京 مرحبا' }, subject],
  'subject.whitespace-is-200': ['A subject of whitespace', { subject: ' ' }, nulls],
  'subject.nul-is-400': ['A subject with a NUL', { subject: 'a\0b' }, storable],
  'subject.lone-surrogate-is-400': ['A subject with a lone surrogate', { subject: 'a\ud800' }, storable],

  'description.omitted-is-200': ['A request without a description', {}, description],
  'description.empty-is-200': ['An empty description', { description: '' }, description],
  'description.2048-is-200': [
    'A description of 2048 characters',
    { description: 'd'.repeat(2_048) },
    lengths,
  ],
  'description.2049-is-400': [
    'A description of 2049 characters',
    { description: 'd'.repeat(2_049) },
    lengths,
  ],
  'description.2048-emoji-is-200': [
    'A description of 2048 emoji',
    { description: '🙂'.repeat(2_048) },
    codePoints,
  ],
  'description.number-is-400': ['A description that is not a string', { description: 42 }, description],
  'description.nul-is-400': ['A description with a NUL', { description: 'a\0b' }, storable],
  'description.lone-surrogate-is-400': [
    'A description with a lone surrogate',
    { description: 'a\ud800' },
    storable,
  ],
  'description.null-is-400': ['A description that is null', { description: null }, nulls],

  'join-approval-mode.auto-approve-is-200': ['auto_approve', { joinApprovalMode: 'auto_approve' }, mode],
  'join-approval-mode.approval-required-is-200': [
    'approval_required',
    { joinApprovalMode: 'approval_required' },
    mode,
  ],
  'join-approval-mode.other-is-400': ['Any other join approval mode', { joinApprovalMode: 'open' }, invalid],
  'join-approval-mode.upper-case-is-400': [
    'A join approval mode in capitals',
    { joinApprovalMode: 'AUTO_APPROVE' },
    invalid,
  ],
  'join-approval-mode.empty-is-400': ['An empty join approval mode', { joinApprovalMode: '' }, invalid],
  'join-approval-mode.null-is-400': ['A join approval mode that is null', { joinApprovalMode: null }, nulls],

  'group-id.omitted-is-200': ['A request without a group id', { groupId: undefined }, groupId],
  'group-id.50-is-200': ['A group id of 50 characters', withGroupId(50), lengths],
  'group-id.51-is-400': ['A group id of 51 characters', withGroupId(51), lengths],
  'group-id.50-with-emoji-is-200': [
    'A group id of 50 characters, most of them emoji,',
    withGroupId(50, '🙂'),
    codePoints,
  ],
  'group-id.number-is-400': ['A group id that is not a string', { groupId: 42 }, groupId],
  'group-id.empty-is-400': ['An empty group id', { groupId: '' }, '0013 (empty identifiers)'],
  'group-id.nul-is-400': ['A group id with a NUL', withEnding('\0b'), storable],
  'group-id.lone-surrogate-is-400': ['A group id with a lone surrogate', withEnding('\ud800'), storable],
  'group-id.null-is-400': ['A group id that is null', { groupId: null }, nulls],

  'waba-number.missing-is-400': ['A request without a WABA number', { wabaNumber: undefined }, number],
  'waba-number.number-is-400': ['A WABA number that is not a string', { wabaNumber: 15_550_100_001 }, number],
  'waba-number.unknown-is-400': [
    'A WABA number without an integration',
    { wabaNumber: unknownNumber },
    noIntegration,
  ],
  'waba-number.text-is-400': ['A WABA number without digits', { wabaNumber: 'main' }, noIntegration],
  'waba-number.empty-is-400': ['An empty WABA number', { wabaNumber: '' }, noIntegration],
  'waba-number.other-spelling-is-200': [
    'The WABA number without the plus sign, with a space and a hyphen,',
    respell,
    '0003 (numbers compare by digits)',
  ],
  'body.unknown-field-is-200': ['An unknown field', { colorOfTheGroup: 'green' }, '0004 (unknown fields)'],
}

const requestSamples: Samples<Partial<ApiRequest> & { readonly padTo?: number }> = {
  'body.empty-object-is-400': ['An empty object', { body: '{}' }, errors],
  'body.array-is-400': ['A body that is an array', { body: '[]' }, errors],
  'body.null-is-400': ['A body that is null', { body: 'null' }, errors],
  'body.missing-is-400': ['A request without a body', { body: '' }, errors],
  'body.malformed-json-is-400': ['Malformed JSON', { body: '{"subject":' }, bodies],
  'body.too-large-is-413': ['A body of more than 64 KiB', { body: ' '.repeat(65_537) }, bodies],
  'body.64-kib-is-200': ['A body of exactly 64 KiB', { padTo: 65_536 }, bodies],
  'body.json-suffix-is-415': [
    'A content type that ends in +json',
    { contentType: 'application/vnd.api+json' },
    bodies,
  ],
  'body.text-is-415': ['A body that is not application/json', { contentType: 'text/plain' }, bodies],
  'body.latin-1-is-415': [
    'A body in a charset other than UTF-8',
    { contentType: 'application/json; charset=iso-8859-1' },
    bodies,
  ],
  'body.utf-8-charset-is-200': [
    'application/json with charset=utf-8',
    { contentType: 'application/json; charset=utf-8' },
    bodies,
  ],

  'key.missing-is-401': ['A request without a key', { key: 'none' }, noKey],
  'key.empty-is-401': ['A request with an empty key', { key: 'empty' }, noKey],
  'key.unknown-is-401': ['A request with a key that does not exist', { key: 'unknown' }, noKey],
  'key.prefixed-is-401': ['A key with another character before it', { keyPrefix: 'x' }, noKey],
  'key.bearer-is-200': ['A key after Bearer', { keyPrefix: 'Bearer ' }, '0006 (API key header)'],
  'key.unknown-before-the-body-is-401': [
    'An unknown key with a malformed body',
    { key: 'unknown', body: '{' },
    order,
  ],
}

const toRules = <Change>(samples: Samples<Change>, build: (lab: Lab, change: Change) => ApiRequest): Rules =>
  Object.fromEntries(
    Object.entries(samples).map(([id, [what, change, clause]]): [string, Rule] => {
      const title = `${what} is ${id.endsWith('-200') ? 'accepted' : 'refused'}`
      const status = Number(id.slice(-3))
      return [`create.${id}`, { title, clause, ...expectStatus(status, (lab) => build(lab, change)) }]
    }),
  )

export const createStatusRules: Rules = {
  ...toRules(fieldSamples, (lab, fields) =>
    buildCreate(lab, typeof fields === 'function' ? fields(lab) : fields),
  ),
  ...toRules(requestSamples, (lab, { padTo = 0, ...request }) => {
    const built = buildCreate(lab, {}, request)
    return { ...built, body: built.body?.padEnd(padTo) }
  }),
  ...setDefaults(
    {
      'create.other-key.is-403': {
        title: 'A key without permission for the number is refused',
        clause: 'rule 3 of "Authentication"',
        ...expectStatus(403, (lab) => buildCreate(lab, {}, { key: 'other' })),
      },
      'create.other-key.unknown-number-is-400': {
        title: 'An unknown number is reported before a missing permission',
        clause: order,
        ...expectStatus(400, (lab) => buildCreate(lab, { wabaNumber: unknownNumber }, { key: 'other' })),
      },
      'create.other-key.invalid-subject-is-400': {
        title: 'An invalid field is reported before a missing permission',
        clause: order,
        ...expectStatus(400, (lab) => buildCreate(lab, { subject: '' }, { key: 'other' })),
      },
    },
    { needs: ['--other-key'] },
  ),
  ...setDefaults(
    {
      'create.disabled-number.is-422': {
        title: 'A group on a disabled integration is refused',
        clause: '"Errors": business rule failure',
        ...expectStatus(422, (lab) => buildCreate(lab, { wabaNumber: lab.disabledNumber })),
      },
      'create.disabled-number.invalid-subject-is-400': {
        title: 'An invalid field is reported before a disabled integration',
        clause: order,
        ...expectStatus(400, (lab) => buildCreate(lab, { wabaNumber: lab.disabledNumber, subject: '' })),
      },
    },
    { needs: ['--disabled-number'] },
  ),
}
