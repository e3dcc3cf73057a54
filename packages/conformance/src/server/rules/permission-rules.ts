import { setDefaults } from '../../report/run-checks.ts'
import { parseJson, readField } from '../api/api-request.ts'
import { buildCreate, describeResponse, unknownNumber } from '../lab.ts'
import type { ServerRule, ServerRules } from '../server-rule.ts'
import { expectStatus, isRefusal, judgeRequest, respell } from './witness.ts'

const noIntegration = 'rule 1 of "Create WhatsApp group"'
const order = '0008 (order of checks)'

/** Expects that a key may create no group on a number in another spelling: the disabled one, or the run's own. */
const refuseSpelling = (
  key: 'api' | 'other' | 'foreign',
): Pick<ServerRule, 'expected' | 'severity' | 'examine'> => ({
  expected: 'a status from 400 to 499',
  severity: 'critical',
  examine: judgeRequest((lab) => {
    const number = key === 'api' ? lab.disabledNumber : lab.wabaNumber
    return buildCreate(lab, { wabaNumber: respell(number) }, { key })
  }, isRefusal),
})

/** Repeats a successful create request of the run with another key. */
const repeatWith = (
  key: 'other' | 'foreign',
  status: number,
  fields: readonly object[],
): Pick<ServerRule, 'expected' | 'severity' | 'examine'> => ({
  expected: `status ${status}`,
  severity: 'high',
  examine: async ({ lab }) => {
    const created = lab.exchanges.find(
      ({ request, response }) =>
        request.key === 'api' && response.status === 200 && isSupplied(request.body ?? '', response.json),
    )
    if (created === undefined) return { kept: undefined, observed: 'the run has created no group' }
    const sent = []
    for (const each of fields) {
      const body = { ...Object(parseJson(created.request.body ?? '')), ...each }
      sent.push(await lab.send({ ...created.request, key, body: JSON.stringify(body) }))
    }
    const isUnclear = sent.some(({ response }) => response.status === 0 || response.status === 429)
    const wrong = sent.find(({ response }) => response.status !== status)
    return {
      kept: isUnclear ? undefined : wrong === undefined,
      observed: sent.map(describeResponse).join(', then '),
      requests: [created.request, ...sent.map(({ request }) => request)],
    }
  },
})

/** Returns whether a create request supplied the group id of its response. */
const isSupplied = (body: string, json: unknown): boolean => {
  const groupId = readField(parseJson(body), 'groupId')
  return groupId !== undefined && groupId === readField(json, 'groupId')
}

const otherKeyRules: ServerRules = {
  'create.other-key.is-403': {
    title: 'A key without permission for the number is refused',
    clause: 'rule 3 of "Authentication"',
    ...expectStatus(403, (lab) => buildCreate(lab, {}, { key: 'other' })),
  },
  'create.other-key.other-spelling-is-refused': {
    title: 'A key without permission for the number is refused, however the number is spelled',
    clause: 'rule 3 of "Authentication"',
    ...refuseSpelling('other'),
  },
  'create.other-key.repeat-is-403': {
    title: 'A key without permission for the number gets no response to a request that another key has sent',
    clause: 'rule 3 of "Authentication"',
    ...repeatWith('other', 403, [{}]),
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
}

const foreignKeyRules: ServerRules = {
  'create.foreign-key.is-refused': {
    title: 'A key of another organization creates no group on the number',
    clause: noIntegration,
    expected: 'status 400',
    severity: 'critical',
    risk: 'A business creates groups in the name of another one.',
    examine: judgeRequest((lab) => buildCreate(lab, {}, { key: 'foreign' }), isRefusal),
  },
  'create.foreign-key.other-spelling-is-refused': {
    title: 'A key of another organization creates no group on the number, however it is spelled',
    clause: noIntegration,
    ...refuseSpelling('foreign'),
  },
  'create.foreign-key.used-id-is-400': {
    title: 'A key of another organization does not learn whether a group id is used on the number',
    clause: noIntegration,
    ...repeatWith('foreign', 400, [{}, { subject: 'Another subject' }]),
  },
  'create.foreign-key.is-400': {
    title: 'The number of another organization is refused like one that does not exist',
    clause: noIntegration,
    expected: 'status 400',
    severity: 'medium',
    risk: 'Anyone with a key can find out which numbers other businesses use here.',
    fix: "Look for wabaNumber among the integrations of the caller's organization before you check the permissions of the key.",
    examine: judgeRequest(
      (lab) => buildCreate(lab, {}, { key: 'foreign' }),
      (response) => (isRefusal(response) ? response.status === 400 : undefined),
    ),
  },
}

const disabledNumberRules: ServerRules = {
  'create.disabled-number.is-422': {
    title: 'A group on a disabled integration is refused',
    clause: '"Errors": business rule failure',
    ...expectStatus(422, (lab) => buildCreate(lab, { wabaNumber: lab.disabledNumber })),
  },
  'create.disabled-number.other-spelling-is-refused': {
    title: 'A group on a disabled integration is refused, however its number is spelled',
    clause: '"Errors": business rule failure',
    ...refuseSpelling('api'),
  },
  'create.disabled-number.invalid-subject-is-400': {
    title: 'An invalid field is reported before a disabled integration',
    clause: order,
    ...expectStatus(400, (lab) => buildCreate(lab, { wabaNumber: lab.disabledNumber, subject: '' })),
  },
}

/** Rules for numbers on which a key may create no group. */
export const permissionRules: ServerRules = {
  ...setDefaults(otherKeyRules, { needs: ['--other-key'] }),
  ...setDefaults(foreignKeyRules, { needs: ['--foreign-key'] }),
  ...setDefaults(disabledNumberRules, { needs: ['--disabled-number'] }),
}
