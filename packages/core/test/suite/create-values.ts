import { equal } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import { createBody, createScenario, expectError, expectNothing, postGroup, waba } from './scenario.ts'

/** A grapheme of 7 code points. */
const family = '👨‍👩‍👧‍👦'
const markup = `It's "here"; -- <b>50 % \\ /?b=c&d#e`
/** The same for a reader, but not the same code points. */
const [composed, decomposed] = ['\u00e9', 'e\u0301']

/** Values that are accepted, and kept as they are, by the field. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  subject: ['0', ' ', ' x ', '🎉'.repeat(128), 'Größe 東京 مرحبا', markup, decomposed.repeat(64)],
  description: ['0', ' ', '🎉'.repeat(2_048), 'First line.\nSecond.', markup, decomposed.repeat(1_024)],
  joinApprovalMode: ['auto_approve', 'approval_required'],
  groupId: [
    ...['0', '007', ' ', ' x ', 'Case', 'case', composed, decomposed, '🎉'.repeat(50), markup],
    ...['__proto__', 'constructor', 'x'.repeat(50)],
  ],
}

/** Values that are refused, besides those of another type. */
const refused: Readonly<Record<string, readonly unknown[]>> = {
  wabaNumber: [[waba], 15550100001],
  subject: [`${family.repeat(18)}${'s'.repeat(3)}`, decomposed.repeat(65), `${'s'.repeat(128)} `],
  description: [`${family.repeat(292)}${'d'.repeat(5)}`, '🙂'.repeat(2_049), `${'d'.repeat(2_048)} `],
  joinApprovalMode: [
    ...['auto_approve ', ' auto_approve', 'auto_approve_all', 'auto', 'auto-approve', 'constructor'],
    ['auto_approve'],
  ],
  groupId: [`x${'\u0301'.repeat(50)}`, '🎉'.repeat(51), `${'x'.repeat(50)} `],
}
const otherTypes = [null, true, false, 0, 42, [], ['x'], {}, { text: 'x' }]

const toCode = (field: string): string =>
  `invalid_${field.replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toLowerCase()

/** The values of a create request. */
export const createValueCases = defineCases('Values of a create request', {
  'are kept as they are, in the response, the store and GROUP_CREATED': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    const expected: [groupId: string, groupName: string][] = []
    for (const [field, values] of Object.entries(accepted)) {
      for (const [index, value] of values.entries()) {
        const body = { ...createBody, groupId: `${field} ${index}`, [field]: value }
        const response = await postGroup(scenario, body)
        equal(
          [response.status, await response.json()],
          [200, { success: true, groupId: body.groupId }],
          value,
        )
        const found = await scenario.server.groups.find('acme', body.groupId)
        equal([found?.subject, found?.clientCustomGroupId], [body.subject, body.groupId])
        if (field === 'description' || field === 'joinApprovalMode') equal(found?.[field], value)
        expected.push([body.groupId, body.subject])
      }
    }
    await scenario.advance(0)
    const sent = scenario.sent.map(({ event, body }) => {
      const { groupId, groupName } = JSON.parse(body)
      return [event, groupId, groupName]
    })
    equal(
      sent.toSorted(),
      expected.map(([groupId, groupName]) => ['GROUP_CREATED', groupId, groupName]).toSorted(),
    )
  },

  'are refused if they are too long in code points, of another type, or not one of those allowed':
    async () => {
      const scenario = await createScenario()
      for (const [field, values] of Object.entries(refused)) {
        for (const value of [...otherTypes, ...values])
          await expectError(
            await postGroup(scenario, { ...createBody, [field]: value }),
            400,
            toCode(field),
            [field],
          )
      }
      await expectNothing(scenario)
    },

  'name an integration by all of its digits, and nothing else': async () => {
    const scenario = await createScenario()
    const digits = '15550100001'
    const others = [
      ...[
        `${digits}0`,
        digits.slice(0, -1),
        `9${digits}`,
        digits.slice(1),
        `2${digits.slice(1)}`,
        '+',
        'main',
      ],
      // The number of PSTN calls.
      ...[`${digits}x`, '%', "' OR '1'='1", '15550100002', 'constructor'],
    ]
    for (const wabaNumber of others)
      await expectError(
        await postGroup(scenario, { ...createBody, wabaNumber }),
        400,
        'integration_not_found',
      )
    await expectNothing(scenario)
  },

  'count by their exact names: a field in other letters is unknown': async () => {
    const scenario = await createScenario()
    equal((await postGroup(scenario, { ...createBody, Subject: '', SUBJECT: 1, GroupId: 1 })).status, 200)
    await expectError(
      await postGroup(scenario, { ...createBody, subject: undefined, Subject: 'x' }),
      400,
      'invalid_subject',
    )
  },
})
