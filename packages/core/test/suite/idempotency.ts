import { equal } from '../../src/testing/assert.ts'
import { defineCases } from './cases.ts'
import { createBody, createWorld, expectError, postGroup, start, type World, waba } from './world.ts'

const statusesOf = async (responses: ReadonlyArray<Promise<Response>>): Promise<number[]> =>
  (await Promise.all(responses)).map(({ status }) => status)

const created = (world: World): number => world.names().filter((name) => name === 'GROUP_CREATED').length

const wanted = { ...createBody, description: 'd', joinApprovalMode: 'auto_approve', groupId: 'g1' }

/** Creating a group again. */
export const idempotencyCases = defineCases('Idempotent create', {
  'the same request again gives the same response and no second GROUP_CREATED': async () => {
    const world = await createWorld()
    for (let index = 0; index < 3; index++) {
      const response = await postGroup(world, wanted)
      equal([response.status, await response.json()], [200, { success: true, groupId: 'g1' }])
      world.clock.time += 1_000
    }
    equal(created(world), 1)
    equal((await world.server.groups.find('acme', 'g1'))?.createdAt, start)
  },

  'the order of the fields and unknown fields make no difference': async () => {
    const world = await createWorld()
    await postGroup(world, wanted)
    const reversed = Object.fromEntries(Object.entries(wanted).toReversed())
    equal((await postGroup(world, { x: 1, ...reversed })).status, 200)
    equal(created(world), 1)
  },

  'another spelling of the number makes no difference': async () => {
    const world = await createWorld()
    await postGroup(world, wanted)
    const spelled = { ...wanted, wabaNumber: waba }
    equal(spelled.wabaNumber === wanted.wabaNumber, false)
    equal((await postGroup(world, spelled)).status, 200)
    equal(created(world), 1)
  },

  'a request that differs in any other field as sent is a conflict': async () => {
    const world = await createWorld()
    await postGroup(world, wanted)
    const { description: _, ...withoutDescription } = wanted
    const { joinApprovalMode: __, ...withoutMode } = wanted
    const different = [
      { ...wanted, subject: 'launch' },
      { ...wanted, description: '' },
      { ...wanted, joinApprovalMode: 'approval_required' },
      withoutDescription,
      withoutMode,
    ]
    for (const body of different) {
      await expectError(await postGroup(world, body), 422, 'group_id_conflict', ['groupId'])
    }
    equal(created(world), 1)
  },

  'a default that has changed since makes no difference': async () => {
    const world = await createWorld()
    const body = { ...createBody, groupId: 'g1' }
    await postGroup(world, body)
    await world.server.organizations.update('acme', {
      integrations: [{ wabaNumber: waba, joinApprovalMode: 'approval_required' }],
    })
    equal((await postGroup(world, body)).status, 200)
    equal((await world.server.groups.find('acme', 'g1'))?.joinApprovalMode, 'auto_approve')
  },

  'a retry is answered even if the integration has been disabled since; anything else is 422': async () => {
    const world = await createWorld()
    await postGroup(world, wanted)
    await world.server.organizations.update('acme', { integrations: [{ wabaNumber: waba, enabled: false }] })
    const response = await postGroup(world, wanted)
    equal([response.status, await response.json()], [200, { success: true, groupId: 'g1' }])
    await expectError(await postGroup(world, { ...wanted, subject: 'x' }), 422, 'group_id_conflict')
    await expectError(await postGroup(world, { ...wanted, groupId: 'g2' }), 422, 'integration_disabled')
    await expectError(await postGroup(world), 422, 'integration_disabled')
    equal(created(world), 1)
  },

  '100 identical creates at the same moment create one group and are all answered': async () => {
    const world = await createWorld()
    const statuses = await statusesOf(Array.from({ length: 100 }, () => postGroup(world, wanted)))
    equal(
      statuses.every((status) => status === 200),
      true,
    )
    equal(created(world), 1)
  },

  '100 conflicting creates at the same moment create one group': async () => {
    const world = await createWorld()
    const responses = Array.from({ length: 100 }, (_, index) =>
      postGroup(world, { ...wanted, subject: `s${index}` }),
    )
    const statuses = await statusesOf(responses)
    equal(
      [
        statuses.filter((status) => status === 200).length,
        statuses.filter((status) => status === 422).length,
      ],
      [1, 99],
    )
    equal(created(world), 1)
  },

  'two organizations may use the same groupId': async () => {
    const world = await createWorld()
    await postGroup(world, wanted)
    const theirs = { wabaNumber: '15550200001', subject: 'Theirs', groupId: 'g1' }
    equal((await postGroup(world, theirs, { key: 'wk_other_0123456789' })).status, 200)
    equal((await world.server.groups.find('acme', 'g1'))?.subject, 'Launch')
    equal(created(world), 2)
  },

  'creates without a groupId never repeat each other': async () => {
    const world = await createWorld()
    await postGroup(world)
    await postGroup(world)
    equal(created(world), 2)
  },

  'in process it works the same': async () => {
    const { server } = await createWorld()
    const request = { ...createBody, groupId: 'g1' }
    equal((await server.groups.create('acme', request)).outcome, 'created')
    equal((await server.groups.create('acme', request)).outcome, 'repeated')
    const error = await server.groups
      .create('acme', { ...request, subject: 'x' })
      .catch((caught: unknown) => caught)
    equal(error instanceof Error && 'code' in error && error.code, 'group_id_conflict')
  },
})
