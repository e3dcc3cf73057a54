import { equal } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  createBody,
  createScenario,
  expectError,
  postGroup,
  type Scenario,
  secondWaba,
  start,
  waba,
} from './scenario.ts'

const listStatuses = async (responses: ReadonlyArray<Promise<Response>>): Promise<number[]> =>
  (await Promise.all(responses)).map(({ status }) => status)

const created = (scenario: Scenario): number =>
  scenario.names().filter((name) => name === 'GROUP_CREATED').length

const wanted = { ...createBody, description: 'd', joinApprovalMode: 'auto_approve', groupId: 'g1' } as const

/** Repeated create requests. */
export const idempotencyCases = defineCases('Idempotent create', {
  'a repeated request gets the same response and publishes no second GROUP_CREATED': async () => {
    const scenario = await createScenario()
    for (let index = 0; index < 3; index++) {
      const response = await postGroup(scenario, wanted)
      equal([response.status, await response.json()], [200, { success: true, groupId: 'g1' }])
      scenario.clock.time += 1_000
    }
    equal(created(scenario), 1)
    equal((await scenario.server.groups.find('acme', 'g1'))?.createdAt, start)
  },

  'the order of the fields and unknown fields make no difference': async () => {
    const scenario = await createScenario()
    await postGroup(scenario, wanted)
    const reversed = Object.fromEntries(Object.entries(wanted).toReversed())
    equal((await postGroup(scenario, { x: 1, ...reversed })).status, 200)
    equal(created(scenario), 1)
  },

  'a request that differs in any field as sent is a conflict': async () => {
    const scenario = await createScenario()
    await postGroup(scenario, wanted)
    const { description: _, ...withoutDescription } = wanted
    const { joinApprovalMode: __, ...withoutMode } = wanted
    const different = [
      { ...wanted, wabaNumber: secondWaba },
      { ...wanted, subject: 'launch' },
      { ...wanted, description: '' },
      { ...wanted, joinApprovalMode: 'approval_required' },
      withoutDescription,
      withoutMode,
    ]
    for (const body of different) {
      await expectError(await postGroup(scenario, body), 422, 'group_id_conflict', ['groupId'])
    }
    equal(created(scenario), 1)
  },

  'a request that is a conflict changes nothing': async () => {
    const scenario = await createScenario()
    await postGroup(scenario, wanted)
    const before = await scenario.server.groups.find('acme', 'g1')
    await expectError(await postGroup(scenario, { ...wanted, subject: 'x' }), 422, 'group_id_conflict')
    equal(await scenario.server.groups.find('acme', 'g1'), before)
    equal((await postGroup(scenario, wanted)).status, 200)
    await scenario.server.participants.join('acme', { groupId: 'g1', phone: '+4930' })
    const joined = scenario.publications.at(-1)?.event
    equal(joined && 'groupName' in joined && joined.groupName, wanted.subject)
  },

  'a request whose wabaNumber is written differently is the same request': async () => {
    const scenario = await createScenario()
    await postGroup(scenario, wanted)
    for (const wabaNumber of ['15550100001', '+15550100001', '+1 (555) 010-0001', '1.555.010.0001']) {
      const response = await postGroup(scenario, { ...wanted, wabaNumber })
      equal([response.status, await response.json()], [200, { success: true, groupId: 'g1' }])
    }
    equal(created(scenario), 1)
  },

  'a default that has changed since makes no difference': async () => {
    const scenario = await createScenario()
    const body = { ...createBody, groupId: 'g1' }
    await postGroup(scenario, body)
    await scenario.server.organizations.update('acme', {
      integrations: [{ wabaNumber: waba, joinApprovalMode: 'approval_required' }],
    })
    equal((await postGroup(scenario, body)).status, 200)
    equal((await scenario.server.groups.find('acme', 'g1'))?.joinApprovalMode, 'auto_approve')
  },

  'a retry succeeds even if the integration has been disabled since; any other request is 422': async () => {
    const scenario = await createScenario()
    await postGroup(scenario, wanted)
    await scenario.server.organizations.update('acme', {
      integrations: [{ wabaNumber: waba, enabled: false }],
    })
    const response = await postGroup(scenario, wanted)
    equal([response.status, await response.json()], [200, { success: true, groupId: 'g1' }])
    equal((await scenario.server.groups.create('acme', wanted)).outcome, 'repeated')
    await expectError(await postGroup(scenario, { ...wanted, subject: 'x' }), 422, 'group_id_conflict')
    await expectError(await postGroup(scenario, { ...wanted, groupId: 'g2' }), 422, 'integration_disabled')
    await expectError(await postGroup(scenario), 422, 'integration_disabled')
    equal(created(scenario), 1)
  },

  '100 identical concurrent requests create one group and all succeed': async () => {
    const scenario = await createScenario()
    const statuses = await listStatuses(Array.from({ length: 100 }, () => postGroup(scenario, wanted)))
    equal(
      statuses.every((status) => status === 200),
      true,
    )
    equal(created(scenario), 1)
  },

  '100 conflicting concurrent requests create one group': async () => {
    const scenario = await createScenario()
    const responses = Array.from({ length: 100 }, (_, index) =>
      postGroup(scenario, { ...wanted, subject: `s${index}` }),
    )
    const statuses = await listStatuses(responses)
    equal(
      [
        statuses.filter((status) => status === 200).length,
        statuses.filter((status) => status === 422).length,
      ],
      [1, 99],
    )
    equal(created(scenario), 1)
  },

  'two organizations may use the same groupId': async () => {
    const scenario = await createScenario()
    await postGroup(scenario, wanted)
    const theirs = { wabaNumber: '15550200001', subject: 'Theirs', groupId: 'g1' }
    equal((await postGroup(scenario, theirs, { key: 'wk_other_0123456789' })).status, 200)
    equal((await scenario.server.groups.find('acme', 'g1'))?.subject, 'Launch')
    equal(created(scenario), 2)
  },
})
