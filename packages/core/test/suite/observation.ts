import type { Emission } from '@wabakit/core'
import { equal, ok } from '../../src/testing/assert.ts'
import { defineCases } from './cases.ts'
import { createWorld, playCall, postGroup } from './world.ts'

/** Listeners and iterators. */
export const observationCases = defineCases('Observation', {
  'on hears the events of its name, * hears all, each with its emission': async () => {
    const { server, ...world } = await createWorld()
    const named: string[] = []
    server.on('CALL_ENDED', (event, emission) => {
      named.push(event.callId)
      equal(emission.event, event)
      equal([emission.organizationId, emission.occurredAt], ['acme', world.clock.time])
    })
    const callId = await playCall({ server, ...world })
    equal(named, [callId])
    equal(world.names().length, 3)
    equal(world.errors, [])
  },

  'an event is heard after it was stored': async () => {
    const world = await createWorld()
    const found = new Promise<unknown>((resolve) => {
      world.server.on('GROUP_CREATED', async ({ groupId }) =>
        resolve(await world.server.groups.find('acme', groupId)),
      )
    })
    await postGroup(world)
    ok((await found) !== undefined, 'the group is there')
  },

  'an event has been heard when the operation that made it resolves': async () => {
    const world = await createWorld()
    await postGroup(world)
    equal(world.names(), ['GROUP_CREATED'])
  },

  'once hears the next event only': async () => {
    const world = await createWorld()
    let heard = 0
    world.server.once('GROUP_CREATED', () => heard++)
    world.server.once('*', () => heard++)
    await postGroup(world)
    await postGroup(world)
    equal(heard, 2)
  },

  'off, and what on and once return, stop a listener': async () => {
    const world = await createWorld()
    let heard = 0
    const listener = () => heard++
    world.server.on('GROUP_CREATED', listener)
    world.server.off('GROUP_CREATED', listener)
    world.server.off('CALL_ENDED', listener)
    world.server.on('*', listener)()
    world.server.once('*', listener)()
    await postGroup(world)
    equal(heard, 0)
  },

  'a listener that is added twice hears twice, and is stopped one by one': async () => {
    const world = await createWorld()
    let heard = 0
    const listener = () => heard++
    const stop = world.server.on('*', listener)
    world.server.on('*', listener)
    await postGroup(world)
    stop()
    await postGroup(world)
    equal(heard, 3)
  },

  'a listener that throws or rejects harms nobody else and is reported': async () => {
    const world = await createWorld()
    let heard = 0
    world.server.on('GROUP_CREATED', () => {
      throw new Error('thrown')
    })
    world.server.on('*', async () => {
      throw new Error('rejected')
    })
    world.server.on('*', () => heard++)
    equal((await postGroup(world)).status, 200)
    equal(heard, 1)
    equal(world.errors.map(String).sort(), ['Error: rejected', 'Error: thrown'])
  },

  'a listener may stop itself or others while it is called': async () => {
    const world = await createWorld()
    const heard: string[] = []
    const stopFirst = world.server.on('*', () => {
      heard.push('first')
      stopFirst()
      stopSecond()
    })
    const stopSecond = world.server.on('*', () => heard.push('second'))
    await postGroup(world)
    await postGroup(world)
    equal(heard, ['first', 'second'])
  },

  'observe iterates over events from now on, and keeps those that are not taken yet': async () => {
    const world = await createWorld()
    await postGroup(world)
    const events = world.server.observe('GROUP_CREATED')
    for (const groupId of ['a', 'b', 'c'])
      await postGroup(world, { wabaNumber: '15550100001', subject: 'x', groupId })
    const seen: string[] = []
    for await (const { event } of events) {
      seen.push(event.groupId)
      if (seen.length === 3) break
    }
    equal(seen, ['a', 'b', 'c'])
    await postGroup(world)
    equal(await events.next(), { done: true, value: undefined })
  },

  'observe waits for what comes, and ends with its signal': async () => {
    const world = await createWorld()
    const stopping = new AbortController()
    const seen: Emission[] = []
    const reading = (async () => {
      for await (const emission of world.server.observe('*', { signal: stopping.signal })) seen.push(emission)
    })()
    await postGroup(world)
    await postGroup(world)
    stopping.abort()
    await reading
    equal(seen, world.emissions)
    await postGroup(world)
    equal(seen.length, 2)
  },

  'observe with a signal that is aborted already ends at once': async () => {
    const world = await createWorld()
    const events = world.server.observe('*', { signal: AbortSignal.abort() })
    await postGroup(world)
    equal((await events.next()).done, true)
  },
})
