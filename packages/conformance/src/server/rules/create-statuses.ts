import { limits } from '@wabakit/contract'
import type { ApiRequest } from '../api/api-request.ts'
import { buildCreate, describeResponse, type Lab, type Need } from '../lab.ts'
import type { Rule } from '../rule.ts'

type Fields = Readonly<Record<string, unknown>>

type StatusRule = {
  readonly id: string
  readonly title: string
  readonly clause: string
  readonly decision?: true
  readonly status: number
  readonly needs?: readonly Need[]
  readonly fields?: Fields | ((lab: Lab) => Fields)
  readonly request?: (lab: Lab) => Partial<ApiRequest>
}

const table = '"Group creation request"'
const errors = '"Errors"'
const authentication = '"Authentication"'
const codePoints = '0001 (lengths count code points)'
const storable = '0002 (texts are storable Unicode)'
const digits = '0003 (numbers compare by digits)'
const bodies = '0005 (request bodies)'
const order = '0008 (order of checks)'
const emptyIds = '0013 (empty identifiers)'
const nulls = '0010 (repeated group id)'

const repeat = (text: string, count: number): string => text.repeat(count)
const uniqueId = (lab: Lab, length: number, fill = 'x'): string => {
  const start = lab.createGroupId()
  return start + repeat(fill, length - start.length)
}

const statusRules: readonly StatusRule[] = [
  // Subject
  {
    id: 'create.subject.empty-is-400',
    title: 'An empty subject is refused',
    clause: `${table}, rule 2 of "Create WhatsApp group"`,
    status: 400,
    fields: { subject: '' },
  },
  {
    id: 'create.subject.missing-is-400',
    title: 'A request without a subject is refused',
    clause: `${table}: subject is required`,
    status: 400,
    fields: { subject: undefined },
  },
  {
    id: 'create.subject.number-is-400',
    title: 'A subject that is not a string is refused',
    clause: `${table}: subject is a string`,
    status: 400,
    fields: { subject: 42 },
  },
  {
    id: 'create.subject.null-is-400',
    title: 'A subject that is null is refused',
    clause: `${table}: subject is a string`,
    status: 400,
    fields: { subject: null },
  },
  {
    id: 'create.subject.one-character-is-200',
    title: 'A subject of one character is accepted',
    clause: `${table}: subject must not be empty`,
    status: 200,
    fields: { subject: 'x' },
  },
  {
    id: 'create.subject.128-is-200',
    title: 'A subject of 128 characters is accepted',
    clause: '"Limits"',
    status: 200,
    fields: { subject: repeat('s', limits.subjectMaxLength) },
  },
  {
    id: 'create.subject.129-is-400',
    title: 'A subject of 129 characters is refused',
    clause: '"Limits"',
    status: 400,
    fields: { subject: repeat('s', limits.subjectMaxLength + 1) },
  },
  {
    id: 'create.subject.128-emoji-is-200',
    title: 'A subject of 128 emoji is accepted',
    clause: codePoints,
    decision: true,
    status: 200,
    fields: { subject: repeat('🙂', limits.subjectMaxLength) },
  },
  {
    id: 'create.subject.129-emoji-is-400',
    title: 'A subject of 129 emoji is refused',
    clause: '"Limits"',
    status: 400,
    fields: { subject: repeat('🙂', limits.subjectMaxLength + 1) },
  },
  {
    id: 'create.subject.non-ascii-is-200',
    title: 'A subject in any script is accepted',
    clause: `${table}: subject is a string`,
    status: 200,
    fields: { subject: 'Größe 東京 مرحبا' },
  },
  {
    id: 'create.subject.white-space-is-200',
    title: 'A subject of white space is accepted',
    clause: nulls,
    decision: true,
    status: 200,
    fields: { subject: ' ' },
  },
  {
    id: 'create.subject.nul-is-400',
    title: 'A subject with a NUL is refused',
    clause: storable,
    decision: true,
    status: 400,
    fields: { subject: 'a\0b' },
  },
  {
    id: 'create.subject.lone-surrogate-is-400',
    title: 'A subject with a lone surrogate is refused',
    clause: storable,
    decision: true,
    status: 400,
    fields: { subject: 'a\ud800' },
  },

  // Description
  {
    id: 'create.description.omitted-is-200',
    title: 'The description may be left out',
    clause: `${table}: description is optional`,
    status: 200,
  },
  {
    id: 'create.description.empty-is-200',
    title: 'An empty description is accepted',
    clause: `${table}: description`,
    status: 200,
    fields: { description: '' },
  },
  {
    id: 'create.description.2048-is-200',
    title: 'A description of 2048 characters is accepted',
    clause: '"Limits"',
    status: 200,
    fields: { description: repeat('d', limits.descriptionMaxLength) },
  },
  {
    id: 'create.description.2049-is-400',
    title: 'A description of 2049 characters is refused',
    clause: '"Limits"',
    status: 400,
    fields: { description: repeat('d', limits.descriptionMaxLength + 1) },
  },
  {
    id: 'create.description.2048-emoji-is-200',
    title: 'A description of 2048 emoji is accepted',
    clause: codePoints,
    decision: true,
    status: 200,
    fields: { description: repeat('🙂', limits.descriptionMaxLength) },
  },
  {
    id: 'create.description.number-is-400',
    title: 'A description that is not a string is refused',
    clause: `${table}: description is a string`,
    status: 400,
    fields: { description: 42 },
  },
  {
    id: 'create.description.null-is-400',
    title: 'A description that is null is refused',
    clause: nulls,
    decision: true,
    status: 400,
    fields: { description: null },
  },

  // Join approval mode
  {
    id: 'create.join-approval-mode.auto-approve-is-200',
    title: 'auto_approve is accepted',
    clause: `${table}: joinApprovalMode`,
    status: 200,
    fields: { joinApprovalMode: 'auto_approve' },
  },
  {
    id: 'create.join-approval-mode.approval-required-is-200',
    title: 'approval_required is accepted',
    clause: `${table}: joinApprovalMode`,
    status: 200,
    fields: { joinApprovalMode: 'approval_required' },
  },
  {
    id: 'create.join-approval-mode.other-is-400',
    title: 'Any other join approval mode is refused',
    clause: 'rule 2 of "Create WhatsApp group"',
    status: 400,
    fields: { joinApprovalMode: 'open' },
  },
  {
    id: 'create.join-approval-mode.upper-case-is-400',
    title: 'A join approval mode in capitals is refused',
    clause: 'rule 2 of "Create WhatsApp group"',
    status: 400,
    fields: { joinApprovalMode: 'AUTO_APPROVE' },
  },
  {
    id: 'create.join-approval-mode.empty-is-400',
    title: 'An empty join approval mode is refused',
    clause: 'rule 2 of "Create WhatsApp group"',
    status: 400,
    fields: { joinApprovalMode: '' },
  },
  {
    id: 'create.join-approval-mode.null-is-400',
    title: 'A join approval mode that is null is refused',
    clause: nulls,
    decision: true,
    status: 400,
    fields: { joinApprovalMode: null },
  },

  // Group id
  {
    id: 'create.group-id.omitted-is-200',
    title: 'The group id may be left out',
    clause: `rule 2 of ${table}`,
    status: 200,
    fields: { groupId: undefined },
  },
  {
    id: 'create.group-id.50-is-200',
    title: 'A group id of 50 characters is accepted',
    clause: '"Limits"',
    status: 200,
    fields: (lab) => ({ groupId: uniqueId(lab, limits.groupIdMaxLength) }),
  },
  {
    id: 'create.group-id.51-is-400',
    title: 'A group id of 51 characters is refused',
    clause: '"Limits"',
    status: 400,
    fields: (lab) => ({ groupId: uniqueId(lab, limits.groupIdMaxLength + 1) }),
  },
  {
    id: 'create.group-id.50-with-emoji-is-200',
    title: 'Emoji in a group id count as one character',
    clause: codePoints,
    decision: true,
    status: 200,
    fields: (lab) => ({ groupId: uniqueId(lab, limits.groupIdMaxLength, '🙂') }),
  },
  {
    id: 'create.group-id.number-is-400',
    title: 'A group id that is not a string is refused',
    clause: `${table}: groupId is a string`,
    status: 400,
    fields: { groupId: 42 },
  },
  {
    id: 'create.group-id.empty-is-400',
    title: 'An empty group id is refused',
    clause: emptyIds,
    decision: true,
    status: 400,
    fields: { groupId: '' },
  },
  {
    id: 'create.group-id.null-is-400',
    title: 'A group id that is null is refused',
    clause: nulls,
    decision: true,
    status: 400,
    fields: { groupId: null },
  },

  // WABA number
  {
    id: 'create.waba-number.missing-is-400',
    title: 'A request without a WABA number is refused',
    clause: `${table}: wabaNumber is required`,
    status: 400,
    fields: { wabaNumber: undefined },
  },
  {
    id: 'create.waba-number.number-is-400',
    title: 'A WABA number that is not a string is refused',
    clause: `${table}: wabaNumber is a string`,
    status: 400,
    fields: { wabaNumber: 15_550_100_001 },
  },
  {
    id: 'create.waba-number.unknown-is-400',
    title: 'A WABA number without an integration is refused',
    clause: 'rule 1 of "Create WhatsApp group"',
    status: 400,
    fields: { wabaNumber: '+19995550000' },
  },
  {
    id: 'create.waba-number.text-is-400',
    title: 'A WABA number that is not a number is refused',
    clause: 'rule 1 of "Create WhatsApp group"',
    status: 400,
    fields: { wabaNumber: 'main' },
  },
  {
    id: 'create.waba-number.empty-is-400',
    title: 'An empty WABA number is refused',
    clause: 'rule 1 of "Create WhatsApp group"',
    status: 400,
    fields: { wabaNumber: '' },
  },
  {
    id: 'create.waba-number.other-spelling-is-200',
    title: 'A WABA number is the same with or without plus sign and spaces',
    clause: digits,
    decision: true,
    status: 200,
    fields: ({ wabaNumber }) => ({
      wabaNumber: wabaNumber.replace(/\D/g, '').replace(/^(\d)(\d{3})/, '$1 $2-'),
    }),
  },

  // Body
  {
    id: 'create.body.unknown-field-is-ignored',
    title: 'Unknown fields are ignored',
    clause: '0004 (unknown fields)',
    decision: true,
    status: 200,
    fields: { colorOfTheGroup: 'green' },
  },
  {
    id: 'create.body.empty-object-is-400',
    title: 'An empty object is refused',
    clause: `${errors}: missing or invalid fields`,
    status: 400,
    request: () => ({ body: '{}' }),
  },
  {
    id: 'create.body.array-is-400',
    title: 'A body that is an array is refused',
    clause: `${errors}: missing or invalid fields`,
    status: 400,
    request: () => ({ body: '[]' }),
  },
  {
    id: 'create.body.null-is-400',
    title: 'A body that is null is refused',
    clause: `${errors}: missing or invalid fields`,
    status: 400,
    request: () => ({ body: 'null' }),
  },
  {
    id: 'create.body.missing-is-400',
    title: 'A request without a body is refused',
    clause: `${errors}: missing or invalid fields`,
    status: 400,
    request: () => ({ body: '' }),
  },
  {
    id: 'create.body.malformed-json-is-400',
    title: 'Malformed JSON is refused',
    clause: bodies,
    decision: true,
    status: 400,
    request: () => ({ body: '{"subject":' }),
  },
  {
    id: 'create.body.too-large-is-413',
    title: 'A body of more than 64 KiB is refused',
    clause: bodies,
    decision: true,
    status: 413,
    request: () => ({ body: repeat(' ', limits.requestBodyMaxBytes + 1) }),
  },
  {
    id: 'create.body.text-is-415',
    title: 'A body that is not application/json is refused',
    clause: bodies,
    decision: true,
    status: 415,
    request: () => ({ contentType: 'text/plain' }),
  },
  {
    id: 'create.body.latin-1-is-415',
    title: 'A body in another charset than UTF-8 is refused',
    clause: bodies,
    decision: true,
    status: 415,
    request: () => ({ contentType: 'application/json; charset=iso-8859-1' }),
  },
  {
    id: 'create.body.utf-8-charset-is-200',
    title: 'application/json with charset=utf-8 is accepted',
    clause: bodies,
    decision: true,
    status: 200,
    request: () => ({ contentType: 'application/json; charset=utf-8' }),
  },

  // Keys
  {
    id: 'create.key.missing-is-401',
    title: 'A request without a key is refused',
    clause: `rule 2 of ${authentication}`,
    status: 401,
    request: () => ({ key: 'none' }),
  },
  {
    id: 'create.key.empty-is-401',
    title: 'A request with an empty key is refused',
    clause: `rule 2 of ${authentication}`,
    status: 401,
    request: () => ({ key: 'empty' }),
  },
  {
    id: 'create.key.unknown-is-401',
    title: 'A request with a key that nobody has is refused',
    clause: `rule 2 of ${authentication}`,
    status: 401,
    request: () => ({ key: 'unknown' }),
  },
  {
    id: 'create.key.cut-short-is-401',
    title: 'A key with a wrong beginning is refused',
    clause: `rule 2 of ${authentication}`,
    status: 401,
    request: () => ({ keyPrefix: 'x' }),
  },
  {
    id: 'create.key.bearer-is-200',
    title: 'The key is accepted after Bearer, too',
    clause: '0006 (API key header)',
    decision: true,
    status: 200,
    request: () => ({ keyPrefix: 'Bearer ' }),
  },
  {
    id: 'create.key.checked-before-the-body',
    title: 'The key is checked before the body',
    clause: order,
    decision: true,
    status: 401,
    request: () => ({ key: 'unknown', body: '{' }),
  },

  // Permission and business rules
  {
    id: 'create.other-key.is-403',
    title: 'A key without permission for the number is refused',
    clause: `rule 3 of ${authentication}`,
    status: 403,
    needs: ['--other-key'],
    request: () => ({ key: 'other' }),
  },
  {
    id: 'create.other-key.unknown-number-is-400',
    title: 'An unknown number is reported before a missing permission',
    clause: order,
    decision: true,
    status: 400,
    needs: ['--other-key'],
    fields: { wabaNumber: '+19995550000' },
    request: () => ({ key: 'other' }),
  },
  {
    id: 'create.other-key.invalid-subject-is-400',
    title: 'An invalid field is reported before a missing permission',
    clause: order,
    decision: true,
    status: 400,
    needs: ['--other-key'],
    fields: { subject: '' },
    request: () => ({ key: 'other' }),
  },
  {
    id: 'create.disabled-number.is-422',
    title: 'A group on a disabled integration is refused',
    clause: `${errors}: business rule failure`,
    status: 422,
    needs: ['--disabled-number'],
    fields: ({ disabledNumber }) => ({ wabaNumber: disabledNumber }),
  },
  {
    id: 'create.disabled-number.invalid-subject-is-400',
    title: 'An invalid field is reported before a disabled integration',
    clause: order,
    decision: true,
    status: 400,
    needs: ['--disabled-number'],
    fields: ({ disabledNumber }) => ({ wabaNumber: disabledNumber, subject: '' }),
  },
]

const toRule = ({ status, fields = {}, request, ...rule }: StatusRule): Rule => ({
  ...rule,
  severity: status === 401 || status === 403 ? 'critical' : 'medium',
  expected: `status ${status}`,
  examine: async ({ lab }) => {
    const values = typeof fields === 'function' ? fields(lab) : fields
    const sent = await lab.send(buildCreate(lab, values, request?.(lab)))
    const { status: received } = sent.response
    const kept = received === 429 || (received === 0 && status === 413) ? undefined : received === status
    return { kept, observed: describeResponse(sent), requests: [sent.request] }
  },
})

/** Rules of the create endpoint that one request and its status show. */
export const createStatusRules: readonly Rule[] = statusRules.map(toRule)
