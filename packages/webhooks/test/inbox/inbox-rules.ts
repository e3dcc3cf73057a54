import { gzipSync } from 'node:zlib'
import {
  createReceiver,
  type InboxEntries,
  identifyEvent,
  signWebhook,
  standardWebhooks,
  unsigned,
} from '@wabakit/webhooks'
import { describe, expect, it, vi } from 'vitest'
import { secret } from '../signed.ts'
import {
  type Context,
  type Environment,
  newTable,
  toEnd,
  toJoin,
  toRequest,
  toSummary,
} from './environment.ts'
import { createClient, createClock, createGate, createSetUp, day, readStates, toError } from './set-up.ts'

type Inbox = ReturnType<Environment['inbox']>

/** The rules of an inbox that hold on every database if they hold on one, because its statements are those of `inboxCases`. */
export const inboxRules = (environment: () => Environment): void => {
  const setUp = createSetUp(environment)

  describe('rule 1, stored before 200', () => {
    it('refuses a compressed body if signatures are verified, and otherwise stores it', async () => {
      const payload = gzipSync(JSON.stringify(toEnd('c')))
      const { headers } = await signWebhook({ payload, secret })
      const init = { method: 'POST', body: payload, headers: { ...headers, 'content-encoding': 'gzip' } }
      const statuses: number[] = []
      for (const verify of [standardWebhooks({ secrets: [secret] }), unsigned()]) {
        const inbox = environment().inbox({ table: newTable() })
        const receiver = createReceiver({ verify, inbox }).onError(() => {})
        statuses.push((await receiver.handle(new Request('http://localhost', init))).status)
      }
      expect(statuses).toEqual([415, 200])
    })
  })

  describe('rule 2, everything authentic is stored', () => {
    it('stores every event, sets aside those without a handler, and parks unknown, drifted and unreadable ones', async () => {
      const parked: unknown[] = []
      const { receiver, inbox, send } = setUp({ onParked: ({ reason }) => parked.push(reason) })
      const bodies = [
        toEnd('c'),
        { event: 'NEW' },
        { ...toSummary('c'), summary: 1 },
        '[1]',
        'no JSON \0',
        '',
      ]
      for (const body of bodies) expect((await send(body)).status).toBe(200)
      await receiver.handle(toRequest('{}', 'x', { 'content-type': 'text/plain' }))
      await receiver.drain()
      expect((await inbox.list()).map(({ state, reason }) => `${state} ${reason}`)).toEqual([
        'unhandled undefined',
        ...['unknown', 'drifted', 'unreadable', 'unreadable', 'unreadable', 'unknown'].map(
          (reason) => `parked ${reason}`,
        ),
      ])
      expect(await inbox.list({ state: 'parked', reason: 'drifted' })).toMatchObject([
        { name: 'CALL_AI_SUMMARY' },
      ])
      expect(parked.toSorted()).toEqual([
        'drifted',
        'unknown',
        'unknown',
        'unreadable',
        'unreadable',
        'unreadable',
      ])
    })

    it('discards what no handler takes, if told so, but parks what has drifted or cannot be read', async () => {
      const { receiver, inbox, send } = setUp({ unhandled: 'discard', onParked: () => {} })
      receiver.on('CALL_AI_SUMMARY', () => {})
      for (const body of [
        toEnd('c'),
        { tagId: 't' },
        { ...toSummary('c'), summary: 1 },
        '[1]',
        toSummary('c'),
      ])
        await send(body)
      await receiver.drain()
      expect(await readStates(inbox)).toEqual(['discarded', 'discarded', 'parked', 'parked', 'handled'])
      const [ended] = await inbox.list({ name: 'CALL_ENDED' })
      expect((await inbox.show(ended?.id ?? ''))?.body).toBeUndefined()
      expect((await send(toEnd('c'))).status).toBe(200)
      expect(await inbox.count()).toEqual({ discarded: 2, parked: 2, handled: 1 })
      const unhandled = 'drop' as 'discard'
      expect(() => setUp({ unhandled })).toThrow('"drop" is not a value of unhandled')
    })

    it('erases every entry that mentions a number or an id, in whatever form', async () => {
      const { receiver, inbox, send } = setUp({ onParked: () => {} })
      const number = '+1 555 777 0001'
      receiver.on('GROUP_PARTICIPANT_JOINED', () => Promise.reject(new Error(`cannot add ${number}`)))
      const mentions = [
        { event: 'CALL_ENDED', callId: 'c1', customerNumber: '+15557770001' },
        { event: 'X', note: `Ann, ${number}` },
        { event: 'X', members: { '+15557770001': true } },
        { event: 'X', link: 'tel:+15557770001', jid: '15557770001@s.whatsapp.net' },
        'from=+1-555-777-0001',
        toJoin('g1'),
        { event: 'CALL_ACCEPTED', callId: 'c1' },
      ]
      const deep = `{"event":"X","x":${'['.repeat(5_000)}0${']'.repeat(5_000)}}`
      const others = [toEnd('c3'), { event: 'X', note: '+15557770002' }, deep]
      for (const body of [...mentions, ...others]) await send(body)
      await receiver.drain()
      expect(await inbox.erase({ number: '+1 (555) 777−٠٠٠١' })).toBe(mentions.length)
      // The last one is the mark that keeps the summary of the call from coming back.
      expect(await inbox.count()).toEqual({ parked: 2, unhandled: 1, erased: mentions.length + 1 })
      await send({ event: 'CALL_TRANSCRIPT', data: { callId: 'c3' } })
      await send({ event: 'CALL_NOTE', call: { id: 'c3' } })
      expect(await inbox.erase({ callId: 'c3' })).toBe(3)
      await send({ event: 'X', group: { groupId: 'g9' } })
      expect(await inbox.erase({ groupId: 'g9' })).toBe(1)
      expect(await inbox.list({ state: 'parked' })).toHaveLength(2)
      await expect(inbox.erase({ number: 'none' })).rejects.toThrow('needs a number with digits')
    })
  })

  describe('rule 3, once', () => {
    it('accepts events of other sources than webhooks', async () => {
      const { receiver, inbox } = setUp()
      expect(await receiver.accept(JSON.stringify(toJoin('g')))).toBe('stored')
      expect(await inbox.list()).toMatchObject([
        { source: 'accepted', deliveryId: undefined, sentAt: undefined },
      ])
      const misspelled = { ids: 'a' } as object
      await expect(receiver.accept('{}', misspelled)).rejects.toThrow('an option of accept()')
      await expect(receiver.accept({} as string)).rejects.toThrow(TypeError)
    })

    it('recognizes an event without an id by what happens once, or by its body, if that is unmistakable', async () => {
      const { receiver, inbox, send } = setUp({ maxAttempts: 1, onParked: () => {} })
      const seen: string[] = []
      receiver.onAny((_, { delivery }) => void seen.push(delivery.identity))
      receiver.onUnknown((_, { delivery }) => void seen.push(delivery.identity))
      for (const body of [toSummary('c'), { ...toSummary('c'), extra: 1 }, toEnd('c'), toEnd('c')])
        await send(body)
      await send({ ...toEnd('c'), extra: 1 })
      expect(await inbox.count()).toEqual({ stored: 3 })
      const notPicked = { event: 'CALL_NOT_PICKED', callId: 'c' }
      const repeated = [
        notPicked,
        { tagId: 't' },
        toJoin('g'),
        '{"event":"CALL_ENDED"',
        { event: 'CALL_ENDED' },
      ]
      for (const body of [...repeated, ...repeated]) await send(body)
      await receiver.drain()
      expect(await inbox.count()).toEqual({ handled: 9, parked: 4 })
      expect(seen.toSorted()).toEqual(['body', 'body', 'fact', ...Array.from({ length: 6 }, () => 'none')])
    })

    it('keeps the key of an event through its attempts, and after a retry by hand', async () => {
      const { receiver, inbox, send } = setUp({ maxAttempts: 2, onParked: () => {} })
      const deliveries: Context['delivery'][] = []
      receiver.onAny((_, { delivery }) => {
        deliveries.push(delivery)
        if (deliveries.length < 7) throw new Error('down')
      })
      const bodies = [{ event: 'CALL_NOT_PICKED', callId: 'a' }, toSummary('b'), toEnd('c')]
      for (const body of bodies) await send(body)
      await expect.poll(async () => (await receiver.drain()).remaining).toBe(0)
      expect(await inbox.retry({ state: 'parked' })).toBe(3)
      await expect.poll(async () => (await receiver.drain()).remaining).toBe(0)
      expect([deliveries.length, await inbox.count()]).toEqual([9, { handled: 3 }])
      const identities = new Map(deliveries.map(({ key, identity }) => [key, identity]))
      expect([...identities.values()].toSorted()).toEqual(['body', 'fact', 'none'])
    })

    it('gives an event the key that identifyEvent and receivers without an inbox give it, within its source', async () => {
      const { receiver, send } = setUp()
      const keys: string[] = []
      receiver.onAny((_, { delivery }) => void keys.push(delivery.key))
      const long = 'x'.repeat(300)
      const arrivals = [[toEnd('a'), 'msg_1'], [toEnd('b'), long], [toSummary('c')], [toEnd('d')]] as const
      const expected: string[] = []
      for (const [body, id] of arrivals) {
        await send(body, id)
        expected.push((await identifyEvent(JSON.stringify(body), { 'webhook-id': id })).key)
      }
      await receiver.accept(JSON.stringify(toEnd('e')), { id: 'msg_1', source: 'queue' })
      await receiver.drain()
      expect(keys.slice(0, 4).toSorted()).toEqual(expected.toSorted())
      expect(new Set(keys).size).toBe(5)
    })

    it('treats an empty id like none, so that different events are not duplicates', async () => {
      const { inbox, receiver } = setUp()
      for (const callId of ['c', 'd']) await receiver.accept(JSON.stringify(toEnd(callId)), { id: '' })
      expect((await inbox.list()).map(({ subject }) => subject)).toEqual(['call:c', 'call:d'])
    })

    it('suppresses what happens once to a group, even when one of the events mentions a call', async () => {
      const { receiver, inbox, send } = setUp()
      receiver.onAny(() => {})
      const created = { event: 'GROUP_CREATED', groupId: 'g', groupCreatedAt: '2026-01-05T09:00:00Z' }
      await send(created, 'a')
      await send({ ...created, callId: 'c' }, 'b')
      await send({ ...created, groupCreatedAt: '2026-02-05T09:00:00Z' }, 'c')
      await receiver.drain()
      expect(await readStates(inbox)).toEqual(['handled', 'suppressed', 'handled'])
    })

    it('shows and changes only the entries of its own table, in each method', async () => {
      const options = { clock: createClock(), maxAttempts: 1, onParked: () => {} }
      const [first, second] = [setUp(options), setUp(options)] as const
      let fails = true
      for (const { receiver, send } of [first, second]) {
        receiver.onAny(() => {
          if (fails) throw new Error('down')
        })
        for (const call of ['c1', 'c2', 'c3']) await send(toSummary(call), call)
        await receiver.drain()
      }
      fails = false
      // The ids are those of both tables.
      const [one, , three] = (await first.inbox.list()).map(({ id }) => id)
      const calls: { readonly [Method in keyof InboxEntries]: (inbox: Inbox) => Promise<unknown> } = {
        list: (inbox) => inbox.list(),
        count: (inbox) => inbox.count({ by: 'reason' }),
        show: (inbox) => inbox.show(one ?? ''),
        retry: (inbox) => inbox.retry({ state: 'parked' }),
        erase: (inbox) => inbox.erase({ callId: 'c2' }),
        discard: (inbox) => inbox.discard({ id: three ?? '' }),
      }
      const view = async ({ inbox }: typeof first) => [await inbox.list(), await inbox.count()]
      for (const [method, call] of Object.entries(calls)) {
        const before = await view(second)
        expect(await view(first), method).toEqual(before)
        const result = await call(first.inbox)
        expect(await view(second), method).toEqual(before)
        expect(await call(second.inbox), method).toEqual(result)
      }
      await first.receiver.drain()
      // What is erased leaves an entry, so that it does not come back.
      const states = [await readStates(first.inbox), await readStates(second.inbox)]
      expect(states).toEqual([
        ['handled', 'erased', 'discarded', 'erased'],
        ['stored', 'erased', 'discarded', 'erased'],
      ])
    })

    it('does not let a parked event suppress a good one', async () => {
      const { receiver, inbox, send } = setUp({ maxAttempts: 1, onParked: () => {} })
      let fails = true
      receiver.on('CALL_AI_SUMMARY', () => {
        if (fails) throw new Error('down')
      })
      await send(toSummary('c'), 'a')
      await receiver.drain()
      fails = false
      await send(toSummary('c'), 'b')
      await receiver.drain()
      expect(await readStates(inbox)).toEqual(['parked', 'handled'])
    })
  })

  describe('rule 5, in order', () => {
    it('retries an event without a call or a group', async () => {
      const { receiver, inbox, send, errors } = setUp()
      receiver.onUnknown(() => Promise.reject(new Error('down')))
      await send({ event: 'NEW' })
      await receiver.drain()
      expect([errors.map(String), await readStates(inbox)]).toEqual([['Error: down'], ['failed']])
    })

    it('handles 5 good events at once alongside 7 poisoned ones, even one at a time', async () => {
      const { receiver, inbox, send } = setUp({ concurrency: 1 })
      const handled: string[] = []
      receiver.onAny((event) => {
        if ('groupId' in event && event.groupId?.startsWith('poisoned')) throw new Error('poisoned')
        handled.push('good')
      })
      for (let index = 0; index < 7; index += 1) await send(toJoin(`poisoned-${index}`), `p${index}`)
      for (let index = 0; index < 5; index += 1) await send(toJoin(`good-${index}`), `g${index}`)
      receiver.start()
      await expect.poll(() => handled).toHaveLength(5)
      // It takes 0.02 s. A busy machine may take longer, but not until the poisoned ones have had their fourth attempts.
      expect(Math.max(...(await inbox.list({}, { limit: 7 })).map(({ attempts }) => attempts))).toBeLessThan(
        4,
      )
    })
  })

  describe('rule 6, failures end', () => {
    it('retries with exponential backoff, parks after the last attempt, and calls onParked', async () => {
      const clock = createClock()
      const parked: unknown[] = []
      const { receiver, inbox, send, errors } = setUp({
        clock,
        maxAttempts: 4,
        onParked: (entry) => parked.push(entry),
      })
      const numbers: number[] = []
      receiver.onAny((_, { attempt }) => {
        numbers.push(attempt.number)
        throw new Error('down')
      })
      await send(toEnd('c'), 'a')
      const delays: number[] = []
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const { nextDueAt } = await receiver.drain()
        if (nextDueAt === undefined) break
        delays.push(nextDueAt.getTime() - clock.now())
        clock.advance(nextDueAt.getTime() - clock.now())
      }
      expect(numbers).toEqual([1, 2, 3, 4])
      expect(delays.map((ms, index) => ms >= 100 && ms <= 100 + 1_000 * 2 ** index)).toEqual([
        true,
        true,
        true,
      ])
      expect(await inbox.list()).toMatchObject([
        { state: 'parked', reason: 'failed', error: 'Error: down', attempts: 4 },
      ])
      expect([parked, errors.length]).toMatchObject([[{ reason: 'failed', deliveryId: 'a' }], 4])
    })

    it.each([
      ['headers that are not JSON', `headers = '[["traceparent"'`, `headers = '[]'`],
      ['headers of another form', `headers = '{"a": 1}'`, `headers = '[]'`],
      ['a header that cannot exist', `headers = '[["a b", "c"]]'`, `headers = '[]'`],
    ])(
      'sets an event aside whose row has %s, names it, and handles it once it is repaired',
      async (_, damage, repair) => {
        const clock = createClock()
        const { receiver, inbox, send, errors, table } = setUp({ clock, maxAttempts: 3, onParked: () => {} })
        const handled: string[] = []
        receiver.onAny((_, { delivery }) => void handled.push(String(delivery.id)))
        await send(toEnd('damaged'), 'a')
        await environment().query(`UPDATE ${table} SET ${damage}`)
        await send(toEnd('damaged'), 'later')
        for (const id of ['b', 'c']) await send(toEnd(id), id)
        const first = await receiver.drain()
        expect(handled).toEqual(['b', 'c'])
        const pauses: number[] = []
        for (let drained = first; drained.nextDueAt !== undefined; drained = await receiver.drain()) {
          pauses.push(drained.nextDueAt.getTime() - clock.now())
          clock.advance(pauses.at(-1) ?? 0)
          await send(toEnd(`c${pauses.length}`), `c${pauses.length}`)
        }
        expect(handled.toSorted()).toEqual(['b', 'c', 'c1', 'c2', 'later'])
        expect(pauses.map((ms, index) => ms >= 100 && ms <= 100 + 1_000 * 2 ** index)).toEqual([true, true])
        const message = expect.stringMatching(/Entry \d+ of inbox_\d+ cannot be read \(.+\)\. Repair its row/)
        expect(errors.map((error) => Object(error).message)).toEqual([message, message, message])
        const ids = (await environment().query(`SELECT id FROM ${table} WHERE state = 'parked'`)).map(
          ({ id }) => String(id),
        )
        await environment().query(`UPDATE ${table} SET ${repair} WHERE state = 'parked'`)
        expect(await inbox.list({ state: 'parked' })).toMatchObject([
          { deliveryId: 'a', reason: 'failed', attempts: 3, error: message },
        ])
        expect(await inbox.retry({ id: ids })).toBe(1)
        await receiver.drain()
        expect(handled.at(-1)).toBe('a')
      },
    )

    it('does not retry what has failed when a new handler takes what had none', async () => {
      const { receiver, inbox, send, table } = setUp({ maxAttempts: 1, onParked: () => {} })
      receiver.on('CALL_ENDED', () => Promise.reject(new Error('down')))
      await send(toEnd('c'))
      await receiver.drain()
      const without = setUp({ table, onParked: () => {} })
      await without.send(toEnd('d'))
      await without.receiver.drain()
      const handled: unknown[] = []
      const upgraded = setUp({ table })
      upgraded.receiver.on('CALL_ENDED', ({ callId }) => handled.push(callId))
      await upgraded.receiver.drain()
      expect([handled, await readStates(inbox)]).toEqual([['d'], ['parked', 'handled']])
    })

    it('handles an event of a name that has become known, even if an earlier one does not match its contract', async () => {
      const { receiver, inbox, send, table } = setUp({ onParked: () => {} })
      await send({ ...toSummary('a'), summary: 1 }, 'a')
      await send(toSummary('b'), 'b')
      await receiver.drain()
      // As a version has left them that did not know the event.
      await environment().query(`UPDATE ${table} SET state = 'parked', reason = 'unknown'`)
      const handled: unknown[] = []
      const upgraded = setUp({ table })
      upgraded.receiver.on('CALL_AI_SUMMARY', ({ callId }) => handled.push(callId))
      await upgraded.receiver.drain()
      expect([handled, await readStates(inbox)]).toEqual([['b'], ['parked', 'handled']])
    })

    it('starts no handlers in drain() while stop() waits', async () => {
      const { receiver, inbox, send } = setUp({ concurrency: 1 })
      const [gate, started] = [createGate(), createGate()]
      receiver.onAny(() => {
        started.open()
        return gate.wait()
      })
      for (const id of ['a', 'b', 'c']) await send(toJoin(id), id)
      receiver.start()
      await started.wait()
      const stopping = receiver.stop()
      const draining = receiver.drain()
      gate.open()
      await Promise.all([stopping, draining])
      expect(await readStates(inbox)).toEqual(['handled', 'stored', 'stored'])
    })
  })

  describe('rule 7, owned', () => {
    it('waits for running handlers when it stops, then aborts their signal and counts no attempt', async () => {
      // With as many slots as handlers, no claim is under way when it stops.
      const { receiver, inbox, send } = setUp({ concurrency: 2 })
      const gate = createGate()
      const started: unknown[] = []
      receiver.onAny(async (_, { delivery, signal }) => {
        started.push(delivery.id)
        if (delivery.id === 'quick') return gate.wait()
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      })
      await send(toEnd('c'), 'quick')
      await send(toEnd('d'), 'slow')
      receiver.start()
      await expect.poll(() => started).toHaveLength(2)
      const stopping = receiver.stop({ maxMs: 200 })
      gate.open()
      await send(toEnd('e'), 'late')
      await stopping
      const read = async () => (await inbox.list()).map(({ state, attempts }) => `${state} ${attempts}`)
      await expect.poll(read).toEqual(['handled 1', 'failed 0', 'stored 0'])
    })
  })

  describe('rule 8, forgotten in time', () => {
    it('forgets any number of bodies at once', async () => {
      const clock = createClock()
      const { receiver, send, table } = setUp({ clock, retention: { handledBodyMs: day } })
      receiver.onAny(() => {})
      await Promise.all(Array.from({ length: 510 }, (_, index) => send(toJoin(`${index}`), `${index}`)))
      await receiver.drain()
      clock.advance(2 * day)
      await setUp({ table, clock }).receiver.drain()
      expect(await environment().query(`SELECT id FROM ${table} WHERE body IS NOT NULL`)).toEqual([])
    })

    it('erases every event of a call that mentions a number, but of a group only those that do', async () => {
      const { inbox, send } = setUp()
      const from = '+4930123456'
      const bodies = [
        { ...toEnd('c'), from },
        { ...toEnd('d'), from: '+1' },
        toSummary('c'),
        { ...toJoin('g'), customerPhone: from },
        toJoin('g'),
      ]
      for (const [index, body] of bodies.entries()) await send(body, `${index}`)
      expect(await inbox.erase({ number: from })).toBe(3)
      expect((await inbox.list({ state: 'stored' })).map(({ deliveryId }) => deliveryId)).toEqual(['1', '4'])
    })

    it('erases a number in any number of events', async () => {
      const { inbox, send } = setUp()
      const sent = Array.from({ length: 401 }, (_, index) => send({ event: 'NEW', index, from: '+123' }))
      await Promise.all(sent)
      const [entry] = await inbox.list({}, { limit: 1, after: '250' })
      expect(await inbox.list({ id: [entry?.id ?? '', 'x'] })).toEqual([entry])
      expect(await inbox.erase({ number: '123' })).toBe(401)
      expect(await inbox.count()).toEqual({ erased: 401 })
    })

    it('deletes a body with the completion if its retention is 0', async () => {
      const { receiver, send, table } = setUp({ retention: { handledBodyMs: 0 } })
      receiver.onAny(() => {})
      await send(toEnd('c'), 'a')
      await send(toEnd('d'), 'b')
      await receiver.drain()
      expect(await environment().query(`SELECT body, headers FROM ${table}`)).toEqual([
        { body: null, headers: null },
        { body: null, headers: null },
      ])
    })
  })

  describe('rule 9, reconciled', () => {
    it('handles a summary as soon as it has requested it, however seldom it looks for events', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock, pollMs: 3_600_000 })
      const summaries: unknown[] = []
      receiver.on('CALL_AI_SUMMARY', ({ callId }) => summaries.push(callId)).on('CALL_ENDED', () => {})
      await send(toEnd('c'))
      clock.advance(601_000)
      receiver.start()
      await expect.poll(() => readStates(inbox)).toEqual(['handled'])
      await receiver.reconcile(
        createClient(() => ({})),
        { olderThanMs: 600_000 },
      )
      await expect.poll(() => summaries).toEqual(['c'])
    })

    it('stores the summary of a call whose fields are nested more deeply than JSON.stringify can write', async () => {
      const clock = createClock()
      const { receiver, inbox } = setUp({ clock })
      receiver.on('CALL_AI_SUMMARY', () => {}).on('CALL_ENDED', () => {})
      const deep = `${'{"0":'.repeat(5_000)}1${'}'.repeat(5_000)}`
      await receiver.handle(toRequest(JSON.stringify(toEnd('c')).replace('}', `,"x":${deep}}`), 'a'))
      clock.advance(601_000)
      const client = createClient(() => ({ y: JSON.parse(deep) }))
      const options = { olderThanMs: 600_000, intervalMs: 1 }
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 1, accepted: 1 })
      await receiver.drain()
      expect(await inbox.count()).toEqual({ handled: 2 })
    })

    it('asks twice about a call that is 404 and not known to be PSTN, the second time after a day', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock, retention: { handledBodyMs: day } })
      receiver.onAny(() => {})
      const client = createClient(() => toError('NotFoundError', 404))
      // An event of a WhatsApp call has no channel.
      await send(toEnd('c'))
      await send({ ...toEnd('d'), channel: 'WHATSAPP' })
      await receiver.drain()
      const options = { olderThanMs: 600_000, maxAgeMs: 20 * day, intervalMs: 1 }
      const asked: [number, number][] = []
      for (let hour = 1; hour <= 24 * 19; hour += 1) {
        clock.advance(3_600_000)
        const run = await receiver.reconcile(client, options)
        expect(run.notFound).toBe(run.asked)
        if (run.asked > 0) asked.push([hour, run.asked])
      }
      expect(asked).toEqual([
        [1, 2],
        [25, 2],
      ])
      expect(await inbox.count()).toMatchObject({ unavailable: 2 })
      await send(toSummary('c'))
      await receiver.drain()
      expect(await inbox.list({ name: 'CALL_AI_SUMMARY', state: 'handled' })).toHaveLength(1)
    })

    it('asks about a summary that is 202, or 404 on PSTN, 12 times on the first day and 4 times on each later one', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock })
      receiver.onAny(() => {})
      const client = createClient((callId) =>
        callId === 'pending' ? toError('SummaryPendingError', 202) : toError('NotFoundError', 404),
      )
      for (const id of ['pending', 'unknown']) await send({ ...toEnd(id), channel: 'PSTN' })
      const asked = [0, 0, 0, 0]
      let givenUp = 0
      for (let minutes = 0; minutes < 76 * 60; ) {
        const step = minutes < 600 ? 5 : 60
        clock.advance(step * 60_000)
        minutes += step
        const run = await receiver.reconcile(client, { olderThanMs: 600_000, intervalMs: 1 })
        asked[Math.floor(minutes / 1_440)] = (asked[Math.floor(minutes / 1_440)] ?? 0) + run.asked
        givenUp += run.givenUp
      }
      expect([asked, givenUp]).toEqual([[24, 8, 8, 0], 2])
    })

    it('does not take the summary of another call', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock })
      const summaries: unknown[] = []
      receiver.on('CALL_AI_SUMMARY', ({ callId }) => summaries.push(callId)).on('CALL_ENDED', () => {})
      await send(toEnd('mine'))
      clock.advance(601_000)
      const options = { olderThanMs: 600_000, intervalMs: 1 }
      const wrong = createClient(() => ({ callId: 'yours' }))
      await expect(receiver.reconcile(wrong, options)).rejects.toThrow(
        'getSummary() returned the summary of another call',
      )
      await receiver.drain()
      expect([summaries, (await inbox.list({ state: 'missing' })).length]).toEqual([[], 1])
      clock.advance(601_000)
      expect(
        await receiver.reconcile(
          createClient(() => ({ callId: '' })),
          options,
        ),
      ).toMatchObject({ accepted: 1 })
      await receiver.drain()
      expect(summaries).toEqual(['mine'])
    })

    it('ends a run at a rate limit and when the service denies access, and throws other errors', async () => {
      const clock = createClock()
      const { receiver, send, errors } = setUp({ clock })
      for (const id of ['a', 'b', 'c']) await send(toEnd(id))
      clock.advance(601_000)
      const options = { olderThanMs: 600_000, intervalMs: 1 }
      const limited = createClient(() => toError('RateLimitError', 429))
      expect(await receiver.reconcile(limited, options)).toMatchObject({ asked: 1, accepted: 0, limited: 1 })
      expect(errors).toEqual([])
      const denied = createClient(() => toError('PermissionDeniedError', 403))
      expect(await receiver.reconcile(denied, options)).toMatchObject({ asked: 1, accepted: 0, denied: 1 })
      expect(errors.map(String)).toEqual(['PermissionDeniedError: PermissionDeniedError'])
      const down = createClient(() => toError('ConnectionError', 0))
      await expect(receiver.reconcile(down, options)).rejects.toThrow('ConnectionError')
      const good = createClient(() => ({}))
      clock.advance(61_000)
      expect(await receiver.reconcile(good, options)).toMatchObject({ asked: 3, accepted: 3 })
    })

    it('passes on a signal, and ends early when it aborts', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock })
      for (const id of ['a', 'b']) await send(toEnd(id))
      clock.advance(601_000)
      const stop = new AbortController()
      const signals: (AbortSignal | undefined)[] = []
      const getSummary = async (callId: string, options?: { readonly signal?: AbortSignal }) => {
        signals.push(options?.signal)
        stop.abort()
        return { ...toSummary(callId), summary: { recap: '', keyPoints: [], nextSteps: [] } }
      }
      const options = { olderThanMs: 600_000, intervalMs: 1 }
      const run = { ...options, signal: stop.signal }
      expect(await receiver.reconcile({ calls: { getSummary } }, run)).toMatchObject({ accepted: 1 })
      expect(signals.map((signal) => signal?.aborted)).toEqual([true])
      expect(await receiver.reconcile({ calls: { getSummary } }, run)).toMatchObject({ asked: 0 })
      expect(await receiver.reconcile({ calls: { getSummary } }, options)).toMatchObject({ accepted: 1 })
      expect(signals.map((signal) => signal?.aborted)).toEqual([true, false])
    })

    it('waits as long as the service asks, and twice as long after each request, up to six hours', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock })
      await send(toEnd('c'))
      clock.advance(601_000)
      let retryAfterMs = 90_000
      const client = createClient(() => Object.assign(toError('SummaryPendingError', 202), { retryAfterMs }))
      const options = { olderThanMs: 600_000, maxAgeMs: 20 * day, intervalMs: 1 }
      const delays: number[] = []
      for (let request = 0; request < 11; request += 1) {
        await receiver.reconcile(client, options)
        const [missing] = await inbox.list({ state: 'missing' })
        delays.push(((missing?.dueAt.getTime() ?? 0) - clock.now()) / 60_000)
        clock.advance((delays.at(-1) ?? 0) * 60_000)
        retryAfterMs = 0
      }
      expect(delays).toEqual([1.5, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360])
    })

    it('tells a missing route from a missing summary', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock })
      await send(toEnd('c'))
      clock.advance(601_000)
      const missingRoute = Object.assign(toError('NotFoundError', 404), { code: 'route_not_found' })
      await expect(
        receiver.reconcile(
          createClient(() => missingRoute),
          { olderThanMs: 600_000 },
        ),
      ).rejects.toBe(missingRoute)
    })

    it('fills in the details that other events of the call have', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock })
      const events: unknown[] = []
      receiver.on('CALL_AI_SUMMARY', (event) => events.push(event)).on('CALL_ENDED', () => {})
      const { event: _, summary, ...details } = toSummary('c')
      await send({ ...details, ...toEnd('c'), agentNumber: '', extra: null, note: '' })
      await receiver.drain()
      clock.advance(601_000)
      const { recap, keyPoints } = summary
      const getSummary = async (callId: string) => ({
        callId,
        summary: { recap, keyPoints: [...keyPoints], nextSteps: [] },
      })
      const options = { olderThanMs: 600_000, intervalMs: 1 }
      await receiver.reconcile({ calls: { getSummary } }, options)
      await receiver.drain()
      expect(events).toEqual([{ ...details, event: 'CALL_AI_SUMMARY', summary }])
    })

    it('rejects times that are not above 0, and options that do not exist', async () => {
      const { receiver } = setUp()
      const client = createClient(() => ({}))
      const intervals = [0, Number.NaN].map((intervalMs) => ({ olderThanMs: 1, intervalMs }))
      for (const options of [{ olderThanMs: 0 }, { olderThanMs: 1, maxAgeMs: Number.NaN }, ...intervals])
        await expect(receiver.reconcile(client, options)).rejects.toThrow('must be above 0')
      const misspelled = { olderThanMs: 1, maxAge: 1 } as { olderThanMs: number }
      await expect(receiver.reconcile(client, misspelled)).rejects.toThrow('an option of reconcile()')
    })

    it('requests no summary of an erased call, even if another event of it arrives', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock })
      await send(toEnd('c'), 'a')
      await inbox.erase({ callId: 'c' })
      await send({ event: 'CALL_ACCEPTED', callId: 'c' }, 'b')
      clock.advance(601_000)
      const client = createClient(() => ({}))
      await receiver.reconcile(client, { olderThanMs: 600_000 })
      expect([client.asked, await inbox.count()]).toEqual([[], { erased: 2, stored: 1, suppressed: 1 }])
    })

    it('requests no summary that arrives on its own after it was missing', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock })
      const receivedAt = new Date(clock.now())
      await send(toEnd('c'), 'a')
      clock.advance(1_000)
      await send({ event: 'CALL_ACCEPTED', callId: 'c' }, 'b')
      clock.advance(601_000)
      const client = createClient(() => toError('SummaryPendingError', 202))
      const options = { olderThanMs: 600_000, intervalMs: 1 }
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 1, pending: 1 })
      expect(await inbox.list({ state: 'missing' })).toMatchObject([{ receivedAt, subject: 'call:c' }])
      await send(toSummary('c'), 'c')
      clock.advance(61_000)
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 0 })
      expect(await readStates(inbox)).toEqual(['stored', 'stored', 'suppressed', 'stored'])
    })

    it('requests none of a call that was missed, nor of a group', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock })
      await send({ event: 'CALL_INITIATED', callId: 'c' })
      await send({ event: 'CALL_MISSED', callId: 'c' })
      await send({ event: 'CALL_REJECTED', callId: 'd' })
      await send(toJoin('call:e'))
      clock.advance(601_000)
      const client = createClient(() => ({}))
      expect(await receiver.reconcile(client, { olderThanMs: 600_000 })).toEqual({
        asked: 0,
        accepted: 0,
        pending: 0,
        notFound: 0,
        unavailable: 0,
        denied: 0,
        limited: 0,
        givenUp: 0,
      })
      expect(await inbox.count()).toEqual({ stored: 4, unavailable: 2 })
    })

    it('gives up at the age limit, which counts from the first event of the call', async () => {
      const clock = createClock()
      const { receiver, send, table } = setUp({ clock, retention: { handledBodyMs: 0 } })
      receiver.onAny(() => {})
      for (const id of ['c', 'd']) await send(toEnd(id))
      await receiver.drain()
      clock.advance(600_000)
      await send({ event: 'CALL_ACCEPTED', callId: 'c' })
      const client = createClient(() => toError('SummaryPendingError', 202))
      const options = { olderThanMs: 600_000, maxAgeMs: day, intervalMs: 1 }
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 2 })
      await environment().query(`DELETE FROM ${table} WHERE subject = 'call:d' AND source = 'webhook'`)
      clock.advance(day - 600_000)
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 1, givenUp: 1 })
      clock.advance(300_000)
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 0, givenUp: 1 })
    })

    it('throws errors that only resemble those of the service', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock })
      await send(toEnd('c'))
      const options = { olderThanMs: 600_000, intervalMs: 1 }
      for (const error of [toError('OtherError', 422), toError('SummaryUnavailableError', 500)]) {
        clock.advance(3_600_000)
        await expect(
          receiver.reconcile(
            createClient(() => error),
            options,
          ),
        ).rejects.toBe(error)
      }
    })

    it('neither waits nor looks for missing summaries when there is nothing to do', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock })
      const client = createClient(() => ({}))
      const options = { olderThanMs: 600_000, intervalMs: 3_600_000 }
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 0 })
      await send(toEnd('c'))
      clock.advance(601_000)
      const signal = AbortSignal.abort()
      expect(await receiver.reconcile(client, { ...options, signal })).toMatchObject({ asked: 0 })
      expect(await inbox.count()).toEqual({ stored: 1 })
    })
  })

  describe('rule 10, no daemon, no broker', () => {
    it('drains what is due within a time limit, and returns what remains', async () => {
      const { receiver, send } = setUp({ concurrency: 1 })
      const readTime = performance.now.bind(performance)
      let passed = 0
      using _time = vi.spyOn(performance, 'now').mockImplementation(() => readTime() + passed)
      // The second handler ends after the time limit.
      receiver.onAny((_, { delivery }) => {
        if (delivery.id === 'b') passed = 8_000
      })
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await send(toJoin(id), id)
      const { handled, remaining, nextDueAt } = await receiver.drain({ maxMs: 8_000 })
      expect([handled, remaining]).toEqual([2, 4])
      expect(nextDueAt).toBeInstanceOf(Date)
      expect(await receiver.drain()).toEqual({ handled: 4, remaining: 0, nextDueAt: undefined })
      expect(await receiver.drain()).toEqual({ handled: 0, remaining: 0, nextDueAt: undefined })
    })

    it('starts no more handlers in drain() after stop(), until it is called again', async () => {
      const { receiver, send } = setUp({ concurrency: 1 })
      const [gate, started] = [createGate(), createGate()]
      receiver.onAny(() => {
        started.open()
        return gate.wait()
      })
      for (const id of ['a', 'b']) await send(toJoin(id), id)
      const draining = receiver.drain()
      await started.wait()
      const stopping = receiver.stop()
      gate.open()
      expect((await draining).remaining).toBe(1)
      await stopping
      expect((await receiver.drain()).remaining).toBe(0)
    })

    it('returns when a failed entry can be handled, even if another one has to wait', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock })
      receiver.onAny(() => Promise.reject(new Error('down')))
      using random = vi.spyOn(Math, 'random').mockReturnValue(0)
      await send(toEnd('soon'), 'a')
      await receiver.drain()
      random.mockReturnValue(0.9)
      await send(toEnd('later'), 'b')
      await receiver.drain()
      clock.advance(500)
      expect(await receiver.drain({ maxMs: 0 })).toEqual({
        handled: 0,
        remaining: 2,
        nextDueAt: new Date(clock.now()),
      })
    })
  })

  it('rejects invalid options', async () => {
    const { receiver } = setUp()
    for (const maxMs of [0, Number.NaN]) await expect(receiver.stop({ maxMs })).rejects.toThrow(RangeError)
    for (const options of [{ id: 7 }, { source: 7 }])
      await expect(Reflect.apply(receiver.accept, undefined, ['{}', options])).rejects.toThrow(/a string/)
    expect(() => environment().inbox({ table: 'a; DROP TABLE b' })).toThrow(RangeError)
    expect(() => environment().inbox({ concurrency: 0 })).toThrow(RangeError)
    expect(() => Reflect.apply(environment().inbox, undefined, [{ leaseMs: 1 }])).toThrow(/leaseMs/)
  })
}
