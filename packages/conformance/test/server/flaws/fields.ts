import {
  accept,
  acceptAs,
  acceptField,
  type BrokenServer,
  hasOwnKey,
  isCreate,
  isValidBut,
  readFields,
  refuse,
  refuseField,
  swapStatus,
  toJson,
} from '../mutations.ts'
import type { Mutation } from '../reference.ts'

const acceptType = (type: string): Mutation => accept(({ headers }) => headers.get('content-type') === type)

/** Servers with one mistake each in other fields and bodies. */
export const createFieldFlaws = (): BrokenServer[] => [
  {
    name: 'accepts any join approval mode',
    caughtBy: 'create.join-approval-mode.other-is-400',
    ...acceptField('joinApprovalMode', (value) => value === 'open'),
  },
  {
    name: 'ignores the case of join approval modes',
    caughtBy: 'create.join-approval-mode.upper-case-is-400',
    ...acceptField('joinApprovalMode', (value) => value === 'AUTO_APPROVE'),
  },
  {
    name: 'treats an empty join approval mode as absent',
    caughtBy: 'create.join-approval-mode.empty-is-400',
    ...acceptField('joinApprovalMode', (value) => value === ''),
  },
  {
    name: 'looks for join approval modes with the operator in',
    caughtBy: 'create.join-approval-mode.inherited-name-is-400',
    ...acceptField('joinApprovalMode', (value) => String(value) in {}),
  },
  {
    name: 'has a default WABA number',
    caughtBy: 'create.waba-number.missing-is-400',
    ...acceptField('wabaNumber', (value) => value === undefined),
  },
  {
    name: 'accepts a JSON number as WABA number',
    caughtBy: 'create.waba-number.number-is-400',
    ...acceptField('wabaNumber', (value) => typeof value === 'number'),
  },
  {
    name: 'accepts a number that no organization has',
    caughtBy: 'create.waba-number.unknown-is-400',
    ...acceptField('wabaNumber', (value) => value === '+19995550000'),
  },
  {
    name: 'accepts a word as WABA number',
    caughtBy: 'create.waba-number.text-is-400',
    ...acceptField('wabaNumber', (value) => value === 'main'),
  },
  {
    name: 'accepts an empty object',
    caughtBy: 'create.body.empty-object-is-400',
    ...accept(({ text }) => text === '{}'),
  },
  { name: 'accepts an array', caughtBy: 'create.body.array-is-400', ...accept(({ text }) => text === '[]') },
  {
    name: 'accepts malformed JSON',
    caughtBy: 'create.body.malformed-json-is-400',
    ...accept((call) => hasOwnKey(call) && call.text === '{"subject":'),
  },
  {
    name: 'accepts a text/plain body',
    caughtBy: 'create.body.text-is-415',
    ...accept(({ headers }) => headers.get('content-type') === 'text/plain'),
  },
  {
    name: 'creates groups on a disabled integration',
    caughtBy: 'create.disabled-number.is-422',
    ...acceptField('wabaNumber', (value) => value === '+15550190002'),
  },
  {
    name: 'rejects approval_required',
    caughtBy: 'create.join-approval-mode.approval-required-is-200',
    ...refuseField('joinApprovalMode', (value) => value === 'approval_required'),
  },
  {
    name: 'rejects auto_approve',
    caughtBy: 'create.join-approval-mode.auto-approve-is-200',
    ...refuseField('joinApprovalMode', (value) => value === 'auto_approve'),
  },
  {
    name: 'refuses unknown fields',
    caughtBy: 'create.body.unknown-field-is-200',
    ...refuseField('colorOfTheGroup', (value) => value !== undefined),
  },
  {
    name: 'compares numbers as text',
    caughtBy: 'create.waba-number.other-spelling-is-200',
    ...refuseField('wabaNumber', (value) => value !== '+15550190001'),
  },
  {
    name: 'responds 404 to an unknown number',
    caughtBy: 'create.waba-number.unknown-is-400',
    ...swapStatus(400, 404, (call) => readFields(call).wabaNumber === '+19995550000'),
  },
  {
    name: 'responds 400 for a disabled integration',
    caughtBy: 'create.disabled-number.is-422',
    ...swapStatus(422, 400, isCreate),
  },
  {
    name: 'responds 500 to malformed JSON',
    caughtBy: 'create.body.malformed-json-is-400',
    ...swapStatus(400, 500, (call) => call.text === '{"subject":'),
  },
  {
    name: 'limits bodies to 60 KiB',
    caughtBy: 'create.body.64-kib-is-200',
    api: async (call, respond) => {
      const response = await respond()
      const isLarge = isCreate(call) && (call.text?.length ?? 0) > 60 * 1_024 && response.status === 200
      const body = { statusCode: 413, error: 'Payload Too Large', message: 'No.', code: 'body_too_large' }
      return isLarge ? toJson(413, body, response.headers) : response
    },
  },
  {
    name: 'accepts any content type that ends in +json',
    caughtBy: 'create.body.json-suffix-is-415',
    ...isValidBut(({ headers }) => headers.get('content-type') === 'application/vnd.api+json'),
  },
  {
    name: 'trims join approval modes',
    caughtBy: 'create.join-approval-mode.with-a-space-is-400',
    ...acceptAs('joinApprovalMode', (mode) => mode.trim()),
  },
  {
    name: 'looks only at the beginning of join approval modes',
    caughtBy: 'create.join-approval-mode.longer-is-400',
    ...acceptAs('joinApprovalMode', (mode) => mode.slice(0, 12)),
  },
  {
    name: 'looks only at the beginning of the WABA number',
    caughtBy: 'create.waba-number.longer-is-400',
    ...acceptAs('wabaNumber', (number) => number.slice(0, 12)),
  },
  {
    name: 'completes the WABA number',
    caughtBy: 'create.waba-number.cut-is-400',
    ...acceptAs('wabaNumber', (number) => (number === '+1555019000' ? '+15550190001' : number)),
  },
  {
    name: 'strips letters from the WABA number',
    caughtBy: 'create.waba-number.with-a-letter-is-400',
    ...acceptAs('wabaNumber', (number) => number.replace(/[a-z]/g, '')),
  },
  {
    name: 'looks only at the beginning of the content type',
    caughtBy: 'create.body.longer-type-is-415',
    ...acceptType('application/jsonp'),
  },
  {
    name: 'reads only the first JSON value of a body',
    caughtBy: 'create.body.trailing-text-is-400',
    api: (call, respond) => respond({ ...call, text: call.text?.replace(/ \{$/, '') }),
  },
  {
    name: 'ignores case in the names of fields',
    caughtBy: 'create.body.field-in-other-case-is-200',
    api: (call, respond) =>
      'Subject' in readFields(call)
        ? respond({ ...call, text: call.text?.replace('Acceptance check', '') })
        : respond(),
  },
  {
    name: 'reads a list of one join approval mode as the mode',
    caughtBy: 'create.join-approval-mode.list-is-400',
    ...acceptField('joinApprovalMode', Array.isArray),
  },
  {
    name: 'reads true as a join approval mode',
    caughtBy: 'create.join-approval-mode.true-is-400',
    ...acceptField('joinApprovalMode', (value) => value === true),
  },
  {
    name: 'reads a list of one WABA number as the number',
    caughtBy: 'create.waba-number.list-is-400',
    ...acceptField('wabaNumber', Array.isArray),
  },
  ...(['description', 'joinApprovalMode', 'groupId'] as const).flatMap((name): BrokenServer[] => [
    {
      name: `treats a ${name} that is false as absent`,
      caughtBy: `create.${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.false-is-400`,
      ...acceptField(name, (value) => value === false),
    },
    {
      name: `treats a ${name} that is the number 0 as absent`,
      caughtBy: `create.${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.zero-is-400`,
      ...acceptField(name, (value) => value === 0),
    },
  ]),
  {
    name: 'compares the last ten digits of numbers',
    caughtBy: 'create.waba-number.other-country-is-400',
    ...acceptField('wabaNumber', (value) => String(value).endsWith('5550190001')),
  },
  {
    name: 'treats the subject 0 as absent',
    caughtBy: 'create.subject.digit-zero-is-200',
    ...refuseField('subject', (value) => value === '0'),
  },
  {
    name: 'accepts an object as description',
    caughtBy: 'create.description.object-is-400',
    ...acceptField('description', (value) => typeof value === 'object' && !Array.isArray(value)),
  },
  {
    name: 'accepts hyphens in join approval modes',
    caughtBy: 'create.join-approval-mode.with-a-hyphen-is-400',
    ...acceptField('joinApprovalMode', (value) => value === 'auto-approve'),
  },
  {
    name: 'counts a description without the spaces around it',
    caughtBy: 'create.description.2049-with-a-space-is-400',
    ...acceptAs('description', (text) => text.trim()),
  },
  {
    name: 'compares content types with their case',
    caughtBy: 'create.body.type-in-capitals-is-200',
    ...refuse(({ headers }) => headers.get('content-type') === 'Application/JSON', 415),
  },
]
