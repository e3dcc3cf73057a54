import { type ErasedPart, type ErasureSelection, StorageUnavailableError } from '@wabakit/core'
import { equal, ok, rejects } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  createScenario,
  customer,
  expectError,
  getSummary,
  playCall,
  pstn,
  type Scenario,
  summary,
  waba,
} from './scenario.ts'
import { openStore } from './stage.ts'

const automatic = { generatedBy: 'automatic' } as const

/** Erases all parts, and returns the numbers of calls, participants and events. */
const eraseAll = async (
  { server }: Scenario,
  selection: ErasureSelection,
  dryRun = false,
): Promise<number[]> => {
  const parts: ErasedPart[] = []
  let cursor: string | undefined
  do {
    const part = await server.erasures.erase('acme', selection, { cursor, dryRun })
    parts.push(part)
    cursor = part.nextCursor
  } while (cursor !== undefined)
  const sum = (kind: 'calls' | 'participants' | 'events') =>
    parts.reduce((total, part) => total + part[kind], 0)
  return [sum('calls'), sum('participants'), sum('events')]
}

/** Two customers in a group and in calls: 22 calls of one, more than fit into a part, and 1 of the other. */
const createTwoCustomers = async (): Promise<Scenario> => {
  const scenario = await createScenario()
  const { groups, participants, calls } = scenario.server
  await scenario.subscribe('PSTN')
  await scenario.subscribe('WHATSAPP')
  await groups.create('acme', { wabaNumber: waba, subject: 'Launch', groupId: 'g' })
  for (const phone of [customer, '+1']) await participants.join('acme', { groupId: 'g', phone })
  for (let index = 0; index < 22; index++) await playCall(scenario)
  await calls.start('acme', {
    channel: 'PSTN',
    direction: 'INCOMING',
    channelNumber: pstn,
    customerNumber: '+1',
  })
  return scenario
}

/** Erasing personal data. */
export const erasureCases = defineCases('Erasing', {
  'a customer removes everything with the number, and nothing that belongs to others': async () => {
    const scenario = await createTwoCustomers()
    const { server } = scenario
    equal(await eraseAll(scenario, { customerNumber: customer.replaceAll(' ', '-') }), [22, 1, 67])
    equal(await eraseAll(scenario, { customerNumber: customer }), [0, 0, 0])
    const { items } = await server.events.list('acme')
    equal(
      items.map(({ name }) => name),
      ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED', 'CALL_INCOMING_INITIATED'],
    )
    await scenario.advance(0)
    equal(scenario.sent.map(({ event }) => event).toSorted(), items.map(({ name }) => name).toSorted())
    equal(await server.participants.find('acme', { groupId: 'g', phone: customer }), undefined)
  },

  'a customer with few calls or none removes the memberships in groups': async () => {
    const scenario = await createTwoCustomers()
    const { participants } = scenario.server
    await participants.join('acme', { groupId: 'g', phone: '+2' })
    equal(await eraseAll(scenario, { customerNumber: '+1' }), [1, 1, 2])
    equal(await eraseAll(scenario, { customerNumber: '+2' }), [0, 1, 1])
    equal(await eraseAll(scenario, { customerNumber: customer }, true), [22, 1, 67])
  },

  'a call removes all of its events, at most 100 in one transaction': async () => {
    const memory = await openStore()
    const requests: unknown[] = []
    const store: typeof memory = {
      ...memory,
      erase: async ({ callIds, participants, eventIds, ...request }) => {
        requests.push([callIds, participants, eventIds.length])
        return memory.erase({ callIds, participants, eventIds, ...request })
      },
    }
    const scenario = await createScenario({ store })
    const event = { name: 'X', channel: 'PSTN', number: pstn, payload: '{}' } as const
    await scenario.server.events.publish('acme', { ...event, subject: 'call:c2' })
    for (let count = 0; count < 600; count++) {
      await scenario.server.events.publish('acme', { ...event, subject: 'call:c1' })
    }
    equal(await eraseAll(scenario, { callId: 'c1' }), [0, 0, 600])
    equal(requests, [...Array.from({ length: 6 }, () => [[], [], 100]), [['c1'], [], 0]])
    equal((await scenario.server.events.list('acme')).items.length, 1)
  },

  'a customer whose calls are no longer stored still removes the events': async () => {
    const scenario = await createScenario()
    const notations = [
      customer,
      Number(customer.replaceAll(/\D/g, '')),
      `tel:${customer}`,
      customer.replaceAll('5', '\u0665'),
    ]
    for (const customerNumber of notations) {
      await scenario.server.events.publish('acme', {
        name: 'CALL_ENDED',
        subject: 'call:c1',
        channel: 'PSTN',
        number: pstn,
        payload: JSON.stringify({ event: 'CALL_ENDED', callId: 'c1', customerNumber }),
      })
    }
    await scenario.server.events.publish('acme', {
      name: 'X',
      subject: 'x',
      channel: 'PSTN',
      number: pstn,
      payload: 'no JSON',
    })
    equal(await eraseAll(scenario, { customerNumber: customer }), [0, 0, notations.length])
  },

  'a dry run counts the same records and erases nothing': async () => {
    const scenario = await createTwoCustomers()
    const before = await scenario.server.events.list('acme')
    equal(await eraseAll(scenario, { customerNumber: customer }, true), [22, 1, 67])
    const callId = 'c1'
    await playCall(scenario, { callId })
    equal(await eraseAll(scenario, { callId }, true), [1, 0, 3])
    equal((await scenario.server.events.list('acme')).items.slice(0, before.items.length), before.items)
    equal(await eraseAll(scenario, { customerNumber: customer }), [23, 1, 70])
  },

  'a call removes its summary, which is never published again': async () => {
    const scenario = await createScenario()
    const { server } = scenario
    const callId = await playCall(scenario, { callId: 'c1' })
    await server.summaries.save('acme', callId, summary, automatic)
    equal(await eraseAll(scenario, { callId }), [1, 0, 4])
    await expectError(await getSummary(scenario, callId), 404, 'summary_not_found')

    await playCall(scenario, { callId })
    equal((await server.summaries.save('acme', callId, summary, automatic)).outcome, 'replaced')
    equal(scenario.names().filter((name) => name === 'CALL_AI_SUMMARY').length, 1)
  },

  'rejects when any call to the store does, and is complete when it is repeated': async () => {
    // A method that fails after its change was made is like a lost response.
    for (const isMade of [false, true]) {
      for (let isInterrupted = true, failing = 1; isInterrupted; failing++) {
        const real = await openStore()
        let left = Number.POSITIVE_INFINITY
        const store = new Proxy(real, {
          get: (target, name) => {
            const method = Reflect.get(target, name)
            if (typeof method !== 'function' || name === 'listen' || name === 'close') return method
            return async (...values: unknown[]) => {
              const fails = --left === 0
              if (fails && !isMade) throw new StorageUnavailableError('down')
              const result = await Reflect.apply(method, target, values)
              if (fails) throw new StorageUnavailableError('down')
              return result
            }
          },
        })
        const scenario = await createScenario({ store })
        const { calls, events, erasures } = scenario.server
        const callId = await playCall(scenario, { callId: 'c1' })
        const others = { channel: 'PSTN', direction: 'INCOMING', channelNumber: pstn } as const
        await calls.start('acme', { ...others, customerNumber: '+1', callId: 'c2' })
        const custom = { name: 'X', channel: 'PSTN', number: pstn, payload: '{}' } as const
        for (const each of [callId, 'c2'])
          await events.publish('acme', { ...custom, subject: `call:${each}` })
        left = failing
        const erasure = eraseAll(scenario, { customerNumber: customer })
        isInterrupted = await erasure.then(
          () => false,
          () => true,
        )
        equal(isInterrupted, left <= 0)
        left = Number.POSITIVE_INFINITY
        await eraseAll(scenario, { customerNumber: customer })
        const { items } = await events.list('acme')
        equal(
          items.map(({ subject }) => subject),
          ['call:c2', 'call:c2'],
        )
        equal(
          [await calls.find('acme', callId), (await erasures.erase('acme', { callId })).calls],
          [undefined, 0],
        )
      }
    }
  },

  'requires an organization and a phone number': async () => {
    const { erasures } = (await createScenario()).server
    await rejects(erasures.erase('nobody', { callId: 'c1' }), { code: 'record_not_found' })
    await rejects(erasures.erase('acme', { customerNumber: 'x' }), { code: 'invalid_input' })
    const wrongNumber = await rejects(erasures.erase('acme', { customerNumber: 'x' }), {
      code: 'invalid_input',
    })
    ok(String(wrongNumber).includes('customerNumber'), String(wrongNumber))
    await rejects(erasures.erase('acme', { customerNumber: customer }, { cursor: 'x' }), {
      code: 'invalid_input',
      issues: [{ path: 'cursor', message: 'is not a cursor from an erasure' }],
    })
  },
})
