import { describe, expect, it, onTestFinished, vi } from 'vitest'
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

/** What an inbox does with the statements of a database. */
export const inboxCases = (name: string, environment: () => Environment): void => {
  const setUp = createSetUp(environment)
  const countEffects = async (effect: string) =>
    (await environment().query(`SELECT effect FROM effects WHERE effect = '${effect}'`)).length

  describe(`${name}: rule 1, stored before 200`, () => {
    it('has committed an event before it responds, and calls no handler', async () => {
      const { receiver, inbox, send } = setUp()
      const handle = vi.fn()
      receiver.onAny(handle)
      expect((await send(toJoin('g'), 'a')).status).toBe(200)
      expect(await inbox.list()).toMatchObject([
        {
          state: 'stored',
          source: 'webhook',
          deliveryId: 'a',
          name: 'GROUP_PARTICIPANT_JOINED',
          subject: 'group:g',
          attempts: 0,
          reason: undefined,
          error: undefined,
          sentAt: new Date(1_800_000_000_000),
        },
      ])
      expect(handle).not.toHaveBeenCalled()
    })

    it('keeps the bytes of a body', async () => {
      const { inbox, receiver } = setUp()
      const body = Uint8Array.from({ length: 256 }, (_, index) => index)
      await receiver.accept(body)
      const [entry] = await inbox.list()
      expect(Buffer.from((await inbox.show(entry?.id ?? ''))?.body ?? [])).toEqual(Buffer.from(body))
    })

    it('responds 503 when an event cannot be stored', async () => {
      const { receiver, inbox, send, errors, table } = setUp()
      const failures: unknown[] = []
      receiver.onError((_, { stage, headers, context }) =>
        failures.push([stage, headers.get('webhook-id'), context]),
      )
      await inbox.list()
      await environment().query(`ALTER TABLE ${table} RENAME COLUMN source TO origin`)
      expect((await send(toEnd('c'), 'a')).status).toBe(503)
      expect(failures).toEqual([['inbox', 'a', undefined]])
      expect(errors).toMatchObject([{ message: expect.stringContaining('source') }])
    })

    it('creates its table again after it was dropped, and says so', async () => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
      onTestFinished(() => warn.mockRestore())
      const { receiver, inbox, send, errors, table } = setUp({ pollMs: 20 })
      const handled: string[] = []
      receiver.on('CALL_ENDED', ({ callId }) => handled.push(callId))
      receiver.start()
      onTestFinished(() => receiver.stop())
      for (const callId of ['a', 'b', 'c']) {
        expect((await send(toEnd(callId))).status).toBe(200)
        await expect.poll(() => handled).toContain(callId)
        await expect.poll(() => inbox.count()).toEqual({ handled: 1 })
        warn.mockClear()
        await environment().query(`DROP TABLE ${table}`)
        await expect.poll(() => warn.mock.calls.flat().join()).toContain(`${table} was dropped`)
      }
      expect(errors).toEqual([])
    })

    it('stores ids and names of any length and with any characters', async () => {
      const { receiver, inbox } = setUp({ onParked: () => {} })
      const odd = `${'😀'.repeat(150)}\0\ud800${'x'.repeat(1_000)}`
      const body = JSON.stringify({ event: `NEW ${odd}`, callId: odd })
      const accept = (id: string) => receiver.accept(body, { id, source: odd })
      expect([await accept(`${odd}1`), await accept(`${odd}2`)]).toEqual(['stored', 'stored'])
      expect(await accept(`${odd}1`)).toBe('duplicate')
      await receiver.drain()
      const entries = await inbox.list({ callId: odd, state: 'parked', reason: 'unknown' })
      const bodies = entries.map(async ({ id }) =>
        new TextDecoder().decode((await inbox.show(id))?.body ?? new Uint8Array()),
      )
      expect(await Promise.all(bodies)).toEqual([body, body])
    })

    it('stores many events at once, in the order of their arrival', async () => {
      const { inbox, send } = setUp()
      const ids = Array.from({ length: 250 }, (_, index) => `id-${index}`)
      const responses = await Promise.all(ids.map((id) => send(toJoin(id), id)))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
      expect((await inbox.list({}, { limit: 500 })).map(({ deliveryId }) => deliveryId)).toEqual(ids)
    })
  })

  describe(`${name}: rule 2, everything authentic is stored`, () => {
    it('counts by state and by reason, and what is stuck', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock, maxAttempts: 2, onParked: () => {} })
      receiver.on('GROUP_PARTICIPANT_JOINED', () => Promise.reject(new Error('down')))
      for (const body of [toEnd('c'), toEnd('d'), { tagId: 't' }, toJoin('g')]) await send(body)
      await receiver.drain()
      clock.advance(60_000)
      await send(toEnd('e'))
      expect(await inbox.count({ by: 'reason' })).toEqual({ unknown: 1 })
      expect(await inbox.count({ stuckForMs: 60_000 })).toEqual({ failed: 1 })
      expect(await inbox.count({ stuckForMs: 60_001 })).toEqual({})
      await receiver.drain()
      expect(await inbox.count({ by: 'reason' })).toEqual({ unknown: 1, failed: 1 })
      expect(await inbox.count()).toEqual({ unhandled: 3, parked: 2 })
      await expect(inbox.count({ stuckForMs: 0 })).rejects.toThrow('must be above 0')
      await expect(inbox.count({ by: 'name' as 'state' })).rejects.toThrow('"name" is not a value of by')
    })

    it.each([0.5, Number.POSITIVE_INFINITY])('keeps times of %d ms, which no database stores', async (ms) => {
      const retention = { handledBodyMs: ms, parkedBodyMs: ms, keyMs: ms }
      const { receiver, inbox, send, errors } = setUp({ retention, claimTtlMs: ms, onParked: () => {} })
      receiver.on('CALL_ENDED', () => {})
      for (const body of [toEnd('c'), { event: 'NEW' }]) await send(body)
      await receiver.drain()
      expect(errors).toEqual([])
      await inbox.erase({ callId: 'c' })
      if (ms > 1) expect(await inbox.count()).toEqual({ erased: 2, parked: 1 })
    })

    it('handles events that had no handler, are unknown, or have drifted, once a handler takes them', async () => {
      const { inbox, receiver, send, table } = setUp({ onParked: () => {} })
      const drifted = { ...toSummary('c'), summary: 1 }
      for (const body of [{ event: 'NEW', number: 1 }, { event: 'NEW', number: 2 }, {}, drifted])
        await send(body)
      for (const id of ['d', 'e']) await send(toEnd(id))
      await receiver.drain()
      expect(await inbox.count()).toEqual({ parked: 4, unhandled: 2 })
      const named = setUp({ table })
      named.receiver.onUnknown(() => {})
      await named.receiver.drain()
      const handled = ['handled', 'handled', 'handled']
      expect(await readStates(inbox)).toEqual([...handled, 'parked', 'unhandled', 'unhandled'])
      const drifting = setUp({ table })
      drifting.receiver.onDrift(() => {})
      await drifting.receiver.drain()
      expect(await readStates(inbox)).toEqual([...handled, 'handled', 'unhandled', 'unhandled'])
      const ending = setUp({ table })
      ending.receiver.on('CALL_ENDED', () => {})
      await ending.receiver.drain()
      expect(await inbox.count()).toEqual({ handled: 6 })
    })
  })

  describe(`${name}: rule 3, once`, () => {
    it('recognizes an event by its id within its source', async () => {
      const { receiver, inbox, send } = setUp()
      await send(toJoin('g'), 'a')
      await send(toJoin('g'), 'a')
      expect(await receiver.accept(JSON.stringify(toJoin('g')), { id: 'a', source: 'webhook' })).toBe(
        'duplicate',
      )
      expect(await receiver.accept(JSON.stringify(toJoin('g')), { id: 'a', source: 'queue' })).toBe('stored')
      expect(await inbox.count()).toEqual({ stored: 2 })
    })

    it('stores one of many concurrent duplicates', async () => {
      const { inbox, send } = setUp()
      await Promise.all(Array.from({ length: 50 }, (_, index) => send(toJoin('g'), `${index % 2}`)))
      expect(await inbox.count()).toEqual({ stored: 2 })
    })

    it('suppresses what happens once, whatever its ids, lists it, and handles it on request', async () => {
      const { receiver, inbox, send } = setUp()
      const handle = vi.fn()
      receiver.on('CALL_AI_SUMMARY', handle)
      await send(toSummary('c'), 'a')
      await send(toSummary('c'), 'b')
      await receiver.accept(JSON.stringify(toSummary('c')), { id: 'c', source: 'queue' })
      await receiver.drain()
      expect([handle.mock.calls.length, await readStates(inbox)]).toEqual([
        1,
        ['handled', 'suppressed', 'suppressed'],
      ])
      const [second] = await inbox.list({ state: 'suppressed' })
      await inbox.retry({ id: second?.id ?? '' })
      await receiver.drain()
      expect(handle).toHaveBeenCalledTimes(2)
    })
  })

  describe(`${name}: rule 4, exactly once`, () => {
    it('writes effects and the completion together', async () => {
      const { receiver, inbox, send, errors } = setUp()
      receiver.onAny((event, context) => environment().write(context, `good ${event.event}`))
      await send(toEnd('c'), 'a')
      expect(await receiver.drain()).toEqual({ handled: 1, remaining: 0, nextDueAt: undefined })
      expect([await countEffects('good CALL_ENDED'), await readStates(inbox), errors]).toEqual([
        1,
        ['handled'],
        [],
      ])
    })

    it('writes nothing when another handler of the event fails', async () => {
      const { receiver, inbox, send } = setUp()
      receiver
        .onAny((_, context) => environment().write(context, 'of a failed event'))
        .on('CALL_ENDED', () => {
          throw new Error('down')
        })
      await send(toEnd('c'), 'a')
      await receiver.drain()
      expect([await countEffects('of a failed event'), await readStates(inbox)]).toEqual([0, ['failed']])
    })

    it('writes nothing when the effects fail', async () => {
      const { receiver, inbox, send, errors } = setUp()
      receiver.onAny((_, context) => environment().write(context, "broken'"))
      await send(toEnd('c'), 'a')
      await receiver.drain()
      expect(errors).toHaveLength(1)
      expect(await inbox.list()).toMatchObject([{ state: 'failed', attempts: 1, error: expect.any(String) }])
    })

    it('writes nothing for a claim that was lost', async () => {
      const { receiver, send, errors, table } = setUp()
      receiver.onAny(async (_, context) => {
        await environment().write(context, 'of a lost claim')
        await environment().query(`UPDATE ${table} SET token = 'of another worker' WHERE token IS NOT NULL`)
      })
      await send(toEnd('c'), 'a')
      await receiver.drain()
      expect([await countEffects('of a lost claim'), errors.length]).toEqual([0, 1])
      expect(await environment().query(`SELECT state, token FROM ${table}`)).toMatchObject([
        { state: 'claimed', token: 'of another worker' },
      ])
    })

    it('completes events together, except one whose claim was lost', async () => {
      const { receiver, inbox, send, errors, table } = setUp({ pollMs: 20 })
      const gate = createGate()
      let started = 0
      receiver.onAny(() => {
        started += 1
        return gate.wait()
      })
      for (const id of ['a', 'b']) await send(toEnd(id), id)
      const drained = receiver.drain()
      await expect.poll(() => started).toBe(2)
      await send(toEnd('c'), 'c')
      await expect.poll(() => started).toBe(3)
      await environment().query(`UPDATE ${table} SET token = 'of another worker' WHERE subject = 'call:b'`)
      gate.open()
      await drained
      expect(await readStates(inbox)).toEqual(['handled', 'claimed', 'handled'])
      expect(errors.map(String)).toEqual([expect.stringContaining('was lost')])
    })

    it('changes nothing after a claim was lost, even without effects', async () => {
      const onParked = vi.fn()
      const { receiver, send, errors, table } = setUp({ maxAttempts: 1, onParked })
      receiver.onAny(async (_, { delivery }) => {
        await environment().query(`UPDATE ${table} SET token = 'of another worker' WHERE token IS NOT NULL`)
        if (delivery.id === 'b') throw new Error('down')
      })
      for (const id of ['a', 'b']) await send(toEnd(id), id)
      await receiver.drain()
      expect(errors.map(String).toSorted()).toEqual([expect.stringContaining('was lost'), 'Error: down'])
      expect(onParked).not.toHaveBeenCalled()
      const lost = { state: 'claimed', token: 'of another worker' }
      expect(await environment().query(`SELECT state, token FROM ${table}`)).toMatchObject([lost, lost])
    })
  })

  describe(`${name}: rule 5, in order`, () => {
    it('does not delay the later events of a call when a process fails that has lost its claim', async () => {
      const clock = createClock()
      const { receiver, inbox, send, table } = setUp({ clock })
      receiver.onAny(async () => {
        await environment().query(`UPDATE ${table} SET token = 'of another worker' WHERE token IS NOT NULL`)
        throw new Error('down')
      })
      for (const id of ['a1', 'a2']) await send(toJoin('a'), id)
      await receiver.drain()
      expect(await inbox.list()).toMatchObject([
        { state: 'claimed' },
        { state: 'stored', dueAt: new Date(clock.now()) },
      ])
    })

    it('handles the events of a call one at a time in their order, and others meanwhile', async () => {
      const { receiver, send, table } = setUp()
      const log: string[] = []
      const postponed = `SELECT id FROM ${table} WHERE delivery_id = 'a3' AND due_at > received_at`
      receiver.onAny(async (_, { delivery }) => {
        log.push(`start ${delivery.id}`)
        if (delivery.id === 'a1') {
          await expect.poll(() => log).toContain('end b1')
          // The next claim takes it out of the way.
          await expect.poll(() => environment().query(postponed)).toHaveLength(1)
        }
        log.push(`end ${delivery.id}`)
      })
      for (const id of ['a1', 'a2', 'a3', 'b1']) await send(toJoin(id.slice(0, 1)), id)
      await receiver.drain()
      const ofA = log.filter((line) => line.includes(' a'))
      expect(ofA).toEqual(['start a1', 'end a1', 'start a2', 'end a2', 'start a3', 'end a3'])
    })

    it('lets an event that fails hold up its own call for five minutes, and nothing else at all', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock, maxAttempts: 1_000 })
      const handled: unknown[] = []
      receiver.onAny((_, { delivery }) => {
        if (delivery.id === 'a1') throw new Error('poisoned')
        handled.push(delivery.id)
      })
      for (const id of ['a1', 'a2', 'b1']) await send(toJoin(id.slice(0, 1)), id)
      for (let second = 0; second < 299; second += 1) {
        clock.advance(1_000)
        if (second % 20 === 0) await receiver.drain()
      }
      expect(handled).toEqual(['b1'])
      await send(toJoin('a'), 'a3')
      clock.advance(2_000)
      await receiver.drain()
      await receiver.drain()
      expect(handled).toEqual(['b1', 'a2', 'a3'])
    })

    it('retries the failed events of a call one at a time in their order', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock })
      let fails = true
      const log: string[] = []
      receiver.onAny(async (_, { delivery }) => {
        if (fails) throw new Error('down')
        log.push(`start ${delivery.id}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
        log.push(`end ${delivery.id}`)
      })
      for (const id of ['a1', 'a2', 'a3']) await send(toJoin('a'), id)
      // After five minutes, the events no longer wait for those before them.
      for (let event = 0; event < 3; event += 1) {
        await receiver.drain()
        clock.advance(301_000)
      }
      fails = false
      clock.advance(3_600_000)
      await receiver.drain()
      expect(log).toEqual(['start a1', 'end a1', 'start a2', 'end a2', 'start a3', 'end a3'])
    })

    it('lets a failed event wait for an earlier one of its call that was retried on request', async () => {
      const clock = createClock()
      const { receiver, inbox, send, table } = setUp({ clock })
      receiver.onAny(() => {
        throw new Error('down')
      })
      for (const id of ['a1', 'a2']) await send(toJoin('a'), id)
      // After five minutes, the second one no longer waits for the first.
      for (let event = 0; event < 2; event += 1) {
        await receiver.drain()
        clock.advance(301_000)
      }
      clock.advance(3_600_000)
      const [first] = await inbox.list({ state: 'failed' })
      expect(await inbox.retry({ id: first?.id ?? '' })).toBe(1)
      // A process looks for retries first when it starts.
      const restarted = setUp({ clock, table })
      const handled: unknown[] = []
      restarted.receiver.onAny((_, { delivery }) => void handled.push(delivery.id))
      await restarted.receiver.drain()
      expect(handled).toEqual(['a1', 'a2'])
    })

    it('handles the later events of a call after the failed one, as soon as that succeeds', async () => {
      const clock = createClock()
      const { receiver, send } = setUp({ clock })
      const handled: unknown[] = []
      receiver.onAny((_, { delivery, attempt }) => {
        if (delivery.id === 'a1' && attempt.number < 3) throw new Error('down')
        handled.push(delivery.id)
      })
      for (const id of ['a1', 'a2', 'a3']) await send(toJoin('a'), id)
      for (let failed = 0; failed < 2; failed += 1) {
        const { nextDueAt } = await receiver.drain()
        await send(toJoin('b'), `b${failed}`)
        await receiver.drain()
        clock.advance(Number(nextDueAt) - clock.now())
      }
      await receiver.drain()
      expect(handled).toEqual(['b0', 'b1', 'a1', 'a2', 'a3'])
    })
  })

  describe(`${name}: rule 6, failures end`, () => {
    it('lists and shows an entry of which the database cannot read some columns, and names these', async () => {
      const { inbox, send, table } = setUp()
      for (const id of ['a', 'b', 'c']) await send(toEnd(id), id)
      // Every database can have a view, and fails when it computes these values.
      const fail = (column: string) =>
        /sqlite/.test(name)
          ? `json('{' || entry.id)`
          : `(SELECT other.${column} FROM ${table}_rows other WHERE other.id <= entry.id + 9)`
      const damaged = ['error', 'body'].map(
        (column) => `CASE WHEN delivery_id = 'b' THEN ${fail(column)} ELSE ${column} END AS ${column}`,
      )
      await environment().query(`ALTER TABLE ${table} RENAME TO ${table}_rows`)
      await environment().query(`CREATE VIEW ${table} AS SELECT id, state, reason, source, delivery_id, name, subject, attempts,
        received_at, sent_at, due_at, ${damaged.join(', ')} FROM ${table}_rows entry`)
      const listed = await inbox.list({ name: 'CALL_ENDED' })
      expect(listed.map(({ deliveryId, state }) => [deliveryId, state])).toEqual([
        ['a', 'stored'],
        ['b', 'stored'],
        ['c', 'stored'],
      ])
      const [first, second] = listed
      const toMessage = (columns: string) =>
        expect.stringMatching(new RegExp(`^Entry ${second?.id} of ${table} cannot be read: ${columns}`))
      expect(listed.map(({ error }) => error)).toEqual([undefined, toMessage('error \\('), undefined])
      expect((await inbox.list({}, { limit: 1, after: first?.id })).map(({ id }) => id)).toEqual([second?.id])
      expect(await inbox.show(second?.id ?? '')).toEqual({
        ...second,
        error: toMessage('error \\(.+, body \\('),
        body: undefined,
      })
      const intact = await inbox.show(first?.id ?? '')
      expect(new TextDecoder().decode(intact?.body)).toBe(JSON.stringify(toEnd('a')))
    })

    const createAttempted = () => {
      const clock = createClock()
      const set = setUp({ clock, maxAttempts: 2, onParked: () => {} })
      const state = { fails: true }
      set.receiver
        .on('CALL_ENDED', () => {})
        .on('CALL_AI_SUMMARY', () => {
          if (state.fails) throw new Error('down')
        })
      const attempt = async (times: number) => {
        for (let time = 0; time < times; time++) {
          clock.advance(600_000)
          await set.receiver.drain()
        }
      }
      const reconcile = async (status: 200 | 202) => {
        clock.advance(600_000)
        const getSummary = async (callId: string) => {
          if (status === 200)
            return { ...toSummary(callId), summary: { recap: '', keyPoints: [], nextSteps: [] } }
          throw Object.assign(new Error(), { name: 'SummaryPendingError', status })
        }
        await set.receiver.reconcile({ calls: { getSummary } }, { olderThanMs: 1, intervalMs: 1 })
      }
      return { ...set, clock, state, attempt, reconcile }
    }
    type Attempted = ReturnType<typeof createAttempted>

    /** Everything after which an entry waits for its first attempt again, and the columns that then differ from those of a new one. */
    const restarts: Readonly<
      Record<string, readonly [restart: (attempted: Attempted) => Promise<unknown>, differences?: object]>
    > = {
      'failed entry that is retried': [
        async ({ inbox, send, attempt }) => {
          await send(toSummary('c'), 'a')
          await attempt(1)
          await inbox.retry({ state: 'failed' })
        },
      ],
      'parked entry that is retried': [
        async ({ inbox, send, attempt }) => {
          await send(toSummary('c'), 'a')
          await attempt(2)
          await inbox.retry({ state: 'parked' })
        },
      ],
      'suppressed entry that is retried': [
        async ({ inbox, send, attempt, state }) => {
          state.fails = false
          await send(toSummary('c'), 'other')
          await attempt(1)
          await send(toSummary('c'), 'a')
          await attempt(1)
          state.fails = true
          await inbox.retry({ state: 'suppressed' })
        },
        { fact: null },
      ],
      'parked entry that a duplicate replaces': [
        async ({ receiver, send, attempt }) => {
          const headers = { 'webhook-timestamp': '1700000000', traceparent: 'of the first' }
          await receiver.handle(toRequest('{"event":"CALL_AI_SUMM', 'a', headers))
          await attempt(1)
          await send(toSummary('c'), 'a')
        },
      ],
      'missing summary that is fetched': [
        async ({ send, attempt, reconcile }) => {
          await send(toEnd('c'), 'end')
          await attempt(1)
          for (const status of [202, 202, 200] as const) await reconcile(status)
        },
        {
          event_key: expect.any(String),
          source: 'reconcile',
          delivery_id: null,
          sent_at: null,
          headers: null,
          body: expect.anything(),
        },
      ],
    }

    it.each(Object.entries(restarts))('attempts a %s like a new one', async (_, [restart, differences]) => {
      using _random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
      const read = async ({ receiver, table }: Attempted) => {
        await receiver.drain()
        const [row] = await environment().query(`SELECT * FROM ${table} WHERE state = 'failed'`)
        const { id: _id, received_at: _receivedAt, ...columns } = row ?? {}
        return columns
      }
      const old = createAttempted()
      await restart(old)
      old.clock.advance(600_000)
      const seen = await read(old)
      const fresh = createAttempted()
      fresh.clock.advance(old.clock.now() - fresh.clock.now())
      await fresh.send(toSummary('c'), 'a')
      expect(seen).toEqual({ ...(await read(fresh)), ...differences })
    })

    it('retries and discards unhandled events, and replaces one by its duplicate', async () => {
      const { receiver, inbox, send } = setUp()
      for (const id of ['a', 'b', 'c']) await send(toEnd(id), id)
      await receiver.drain()
      expect((await inbox.list({ state: 'unhandled' })).map(({ deliveryId }) => deliveryId)).toEqual([
        'a',
        'b',
        'c',
      ])
      expect(await inbox.discard({ callId: 'c', state: 'unhandled' })).toBe(1)
      const handled: unknown[] = []
      receiver.on('CALL_ENDED', ({ callId }) => void handled.push(callId))
      await send(toEnd('b again'), 'b')
      expect(await inbox.count()).toEqual({ stored: 1, unhandled: 1, discarded: 1 })
      expect(await inbox.retry({ state: 'unhandled' })).toBe(1)
      await receiver.drain()
      expect([handled.toSorted(), await inbox.count()]).toEqual([
        ['a', 'b again'],
        { handled: 2, discarded: 1 },
      ])
    })

    it('does not delay the later events of a group when a failed one is retried, discarded or erased', async () => {
      for (const change of ['retry', 'discard', 'erase'] as const) {
        const clock = createClock()
        const { receiver, inbox, send } = setUp({ clock })
        let fails = true
        const handled: unknown[] = []
        receiver.onAny((_, { delivery }) => {
          if (fails && delivery.id === 'a1') throw new Error('down')
          handled.push(delivery.id)
        })
        await send({ ...toJoin('a'), customerPhone: '+4930123456' }, 'a1')
        for (const id of ['a2', 'b1']) await send(toJoin(id.slice(0, 1)), id)
        await receiver.drain()
        fails = false
        const changed =
          change === 'erase' ? inbox.erase({ number: '+4930123456' }) : inbox[change]({ state: 'failed' })
        expect(await changed).toBe(1)
        expect(await receiver.drain()).toMatchObject({ remaining: 0, nextDueAt: undefined })
        expect(handled).toEqual(change === 'retry' ? ['b1', 'a1', 'a2'] : ['b1', 'a2'])
      }
    })

    it('lists, shows, retries and discards entries', async () => {
      const { receiver, inbox, send, table } = setUp({ maxAttempts: 1, onParked: () => {} })
      let fails = true
      receiver.onAny(() => {
        if (fails) throw new Error('down')
      })
      for (const id of ['a', 'b', 'c']) await send(toEnd(id), id)
      await receiver.drain()
      const [first, second] = await inbox.list({ state: 'parked', reason: 'failed' })
      expect(await inbox.list({ callId: 'b' })).toEqual([second])
      await send(toJoin('g'), 'd')
      expect(await inbox.list({ groupId: 'g' })).toMatchObject([{ deliveryId: 'd' }])
      expect(await inbox.list({ name: 'CALL_ENDED', state: 'parked' })).toHaveLength(3)
      expect(await inbox.discard({ groupId: 'g' })).toBe(1)
      expect(await inbox.list({ id: ['x', '1; --', 'x1', '1x'] })).toEqual([])
      expect((await inbox.list({}, { limit: 1, after: first?.id ?? '' })).map(({ id }) => id)).toEqual([
        second?.id,
      ])
      expect(await inbox.show(first?.id ?? '')).toMatchObject({ ...first, body: expect.any(Uint8Array) })
      expect([await inbox.show('x'), await inbox.list({ name: 'NONE' })]).toEqual([undefined, []])
      fails = false
      expect(await inbox.discard({ callId: 'c' })).toBe(1)
      expect(await inbox.retry({ id: [first?.id ?? '', second?.id ?? ''] })).toBe(2)
      await receiver.drain()
      expect(await readStates(inbox)).toEqual(['handled', 'handled', 'discarded', 'discarded'])
      const text = `SELECT body, headers FROM ${table} WHERE state = 'discarded'`
      const empty = { body: null, headers: null }
      expect(await environment().query(text)).toEqual([empty, empty])
      expect((await send(toEnd('c'), 'c')).status).toBe(200)
      expect(await inbox.count()).toEqual({ handled: 2, discarded: 2 })
      await expect(inbox.retry({})).rejects.toThrow('retry() needs a selection')
      await expect(inbox.discard({})).rejects.toThrow('discard() needs a selection')
      await expect(inbox.erase({ number: 'Ann' })).rejects.toThrow('needs a number with digits')
      const misspelled = { callid: 'c' } as object
      for (const name of ['list', 'count', 'retry', 'discard'] as const)
        await expect(inbox[name](misspelled)).rejects.toThrow(`an option of ${name}()`)
      await expect(inbox.list({}, { limit: 1, before: '2' } as { limit: number })).rejects.toThrow('list()')
    })
  })

  describe(`${name}: rule 7, owned`, () => {
    it('renews the claim of a handler that takes three times as long, which therefore runs once', async () => {
      const [clock, gate] = [createClock(), createGate()]
      const limits = { clock, claimTtlMs: 300, pollMs: 20 }
      const { receiver, inbox, send, table } = setUp(limits)
      const other = setUp({ table, ...limits })
      const calls = vi.fn()
      const handle = async (_: unknown, context: Context) => {
        calls()
        await environment().write(context, 'of a slow handler')
        await gate.wait()
      }
      receiver.onAny(handle).start()
      other.receiver.onAny(handle).start()
      await send(toEnd('c'), 'a')
      await expect.poll(() => calls).toHaveBeenCalled()
      for (let passed = 0; passed < 900; passed += 150) {
        clock.advance(150)
        await expect
          .poll(async () => Number((await environment().query(`SELECT due_at FROM ${table}`))[0]?.due_at))
          .toBe(clock.now() + 300)
      }
      gate.open()
      await expect.poll(() => readStates(inbox)).toEqual(['handled'])
      expect([calls.mock.calls.length, await countEffects('of a slow handler')]).toEqual([1, 1])
    })

    it('takes over the event of a process that is gone, and fences it', async () => {
      const clock = createClock()
      const { receiver, inbox, send, table, errors } = setUp({ clock, concurrency: 1 })
      const successor = setUp({ table, clock })
      const gate = createGate()
      const signals: AbortSignal[] = []
      receiver.onAny(async (_, context) => {
        signals.push(context.signal)
        await environment().write(context, 'of a paused worker')
        await gate.wait()
      })
      successor.receiver.onAny((_, context) => environment().write(context, 'of its successor'))
      await send(toEnd('c'), 'a')
      const paused = receiver.drain()
      await expect.poll(() => signals).toHaveLength(1)
      clock.advance(61_000)
      await successor.receiver.drain()
      gate.open()
      await paused
      expect([await countEffects('of a paused worker'), await countEffects('of its successor')]).toEqual([
        0, 1,
      ])
      expect([await inbox.list(), errors.length]).toMatchObject([[{ state: 'handled', attempts: 2 }], 1])
    })

    it('never runs an entry twice at the same time in a process that was paused until after its claim had expired', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock })
      const gate = createGate()
      const calls = vi.fn()
      receiver.onAny(async (_, context) => {
        calls()
        await environment().write(context, 'of a late worker')
        await gate.wait()
      })
      await send(toEnd('c'), 'a')
      const paused = receiver.drain()
      await expect.poll(() => calls).toHaveBeenCalled()
      clock.advance(61_000)
      await send(toEnd('d'), 'b')
      const resumed = receiver.drain()
      await expect.poll(() => calls.mock.calls.length).toBeGreaterThan(1)
      gate.open()
      await Promise.all([paused, resumed])
      expect([calls.mock.calls.length, await readStates(inbox)]).toEqual([2, ['handled', 'handled']])
      expect(await countEffects('of a late worker')).toBe(2)
    })

    it('completes nothing that stop() has given up, and leaves it to the next process', async () => {
      const { receiver, inbox, send, table, errors } = setUp()
      const [gate, started] = [createGate(), createGate()]
      receiver.onAny(async (_, context) => {
        await environment().write(context, 'of an abandoned attempt')
        started.open()
        await gate.wait()
      })
      await send(toEnd('c'), 'a')
      receiver.start()
      await started.wait()
      await receiver.stop({ maxMs: 1 })
      gate.open()
      await expect.poll(() => readStates(inbox)).toEqual(['failed'])
      expect([await countEffects('of an abandoned attempt'), errors.map(String)]).toEqual([
        0,
        [expect.stringContaining('abandoned')],
      ])
      const next = setUp({ table })
      next.receiver.onAny((_, context) => environment().write(context, 'of its successor in order'))
      await next.receiver.drain()
      expect([await countEffects('of its successor in order'), await readStates(inbox)]).toEqual([
        1,
        ['handled'],
      ])
    })

    it('aborts the signal of a handler whose claim is lost', async () => {
      // Long enough for a renewal on a busy machine, before which the claim would have expired.
      const { receiver, inbox, send } = setUp({ claimTtlMs: 3_000 })
      const aborted = Promise.withResolvers<unknown>()
      receiver.onAny(async (_, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve(signal.reason))
        await inbox.erase({ callId: 'c' })
        await aborted.promise
      })
      await send(toEnd('c'), 'a')
      await receiver.drain()
      expect(await aborted.promise).toMatchObject({ message: expect.stringContaining('lost') })
      expect(await inbox.count()).toEqual({ erased: 2 })
    })
  })

  describe(`${name}: rule 8, forgotten in time`, () => {
    it('forgets the bodies of handled and unhandled events, then their keys', async () => {
      const clock = createClock()
      const retention = { handledBodyMs: day, parkedBodyMs: 2 * day, keyMs: 3 * day }
      const { receiver, inbox, send, table } = setUp({ clock, retention })
      receiver.on('CALL_ENDED', () => {})
      await send(toEnd('c'), 'a')
      await send(toJoin('g'), 'b')
      await receiver.drain()
      const read = async () => {
        await setUp({ table, clock, retention }).receiver.drain()
        const rows = await environment().query(`SELECT body, headers FROM ${table} ORDER BY id`)
        return rows.map(({ body, headers }) => body !== null || headers !== null)
      }
      expect(await read()).toEqual([true, true])
      clock.advance(1.5 * day)
      expect(await read()).toEqual([false, true])
      await send(toEnd('c'), 'a')
      clock.advance(day)
      expect([await read(), await inbox.retry({ state: 'unhandled' })]).toEqual([[false, false], 0])
      clock.advance(2.5 * day)
      expect(await read()).toEqual([false])
      clock.advance(2.5 * day)
      expect(await read()).toEqual([])
    })

    it('erases a call, a group or a number, and leaves hashes that keep them from coming back', async () => {
      const { receiver, inbox, send, table } = setUp()
      const handled: unknown[] = []
      receiver.onAny((_, { delivery }) => handled.push(delivery.id))
      await send(toSummary('call-of-ann'), 'a')
      await send(toEnd('call-of-bob'), 'b')
      await send({ ...toJoin('group-of-ann'), customerPhone: '+49 (30) 1234' }, 'c')
      await send({ ...toEnd('call-of-eve'), from: '0049301234', to: '+49301234' }, 'd')
      await send(toJoin('group-of-dan'), 'e')
      await receiver.drain()
      handled.length = 0
      expect(await inbox.erase({ callId: 'call-of-ann' })).toBe(1)
      expect(await inbox.erase({ callId: 'call-of-bob' })).toBe(1)
      expect(await inbox.erase({ number: '+49301234' })).toBe(2)
      expect(await inbox.erase({ groupId: 'group-of-dan' })).toBe(1)
      await send(toSummary('call-of-ann'), 'a')
      await send(toSummary('call-of-ann'), 'a2')
      await send(toSummary('call-of-bob'), 'b2')
      await send(toEnd('call-of-bob'), 'b')
      await send(toJoin('group-of-dan'), 'e')
      await receiver.drain()
      expect(handled).toEqual([])
      const rows = await environment().query(`SELECT * FROM ${table}`)
      expect(JSON.stringify(rows)).not.toMatch(/call-of|group-of|301234|"CALL_/)
      const kept = 'id event_key source fact state attempts due_at holds_until received_at'.split(' ')
      const left = rows.flatMap((row) => Object.keys(row).filter((name) => row[name] !== null))
      expect(left.filter((name) => !kept.includes(name))).toEqual([])
    })

    it('remembers that a call was erased from its last erasure on', async () => {
      const clock = createClock()
      const { inbox, receiver, send } = setUp({ clock })
      await inbox.erase({ callId: 'c' })
      clock.advance(29 * day)
      await inbox.erase({ callId: 'c' })
      clock.advance(2 * day)
      await receiver.drain()
      await send(toSummary('c'), 'late')
      await receiver.drain()
      expect(await inbox.count()).toEqual({ erased: 2 })
    })
  })

  describe(`${name}: rule 9, reconciled`, () => {
    it('requests the summary of every call with another event, once', async () => {
      const clock = createClock()
      const { receiver, inbox, send, table } = setUp({ clock })
      const summaries: unknown[] = []
      receiver.on('CALL_AI_SUMMARY', ({ callId }) => summaries.push(callId)).on('CALL_ENDED', () => {})
      const client = createClient(() => ({}))
      const options = { olderThanMs: 600_000, intervalMs: 1 }
      await send(toEnd('without'))
      await send(toEnd('with'))
      await send(toSummary('with'), 'a')
      await send({ event: 'CALL_MISSED', callId: 'missed' })
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 0 })
      clock.advance(601_000)
      await send(toEnd('young'))
      const other = setUp({ clock, table })
      const runs = await Promise.all([
        receiver.reconcile(client, options),
        other.receiver.reconcile(client, options),
      ])
      await receiver.drain()
      await receiver.reconcile(client, options)
      expect([client.asked, summaries.toSorted()]).toEqual([['without'], ['with', 'without']])
      expect(runs.map(({ accepted }) => accepted).toSorted()).toEqual([0, 1])
      await send(toSummary('without'), 'late')
      await receiver.drain()
      expect([summaries.length, (await inbox.list({ state: 'suppressed' })).length]).toEqual([2, 1])
    })

    it('requests the summaries of other calls beside entries whose time of arrival cannot be read, and names these', async () => {
      const clock = createClock()
      const { receiver, send, table, errors } = setUp({ clock })
      for (const callId of ['a', 'b']) await send(toEnd(callId))
      // So many that the search for old entries looks at them.
      const rows = Array.from(
        { length: 600 },
        (_, n) => `('f${n}', 'webhook', 'call:f', 'handled', 0, -9223372036854775807)`,
      )
      await environment().query(
        `INSERT INTO ${table} (event_key, source, subject, state, due_at, received_at) VALUES ${rows.join()}`,
      )
      await send(toEnd('c'))
      clock.advance(601_000)
      const client = createClient(() => ({}))
      expect(await receiver.reconcile(client, { olderThanMs: 600_000, intervalMs: 1 })).toMatchObject({
        asked: 3,
        accepted: 3,
      })
      expect(client.asked).toEqual(['a', 'b', 'c'])
      expect(errors).toMatchObject([
        { message: expect.stringMatching(`Entries of ${table} cannot be read.+received_at is not a time`) },
      ])
    })

    it('requests summaries in one process at a time, and at most once in intervalMs', async () => {
      const clock = createClock()
      const { receiver, send, table } = setUp({ clock })
      const other = setUp({ clock, table })
      for (const id of ['a', 'b', 'c']) await send(toEnd(id))
      clock.advance(601_000)
      const askedAt: number[] = []
      const options = { olderThanMs: 600_000, intervalMs: 50 }
      const others: unknown[] = []
      const client = createClient(() => askedAt.push(performance.now()))
      const getSummary = async (callId: string) => {
        others.push(await other.receiver.reconcile(client, options))
        return client.calls.getSummary(callId)
      }
      expect(await receiver.reconcile({ calls: { getSummary } }, options)).toMatchObject({ accepted: 3 })
      expect(others).toMatchObject([{ asked: 0 }, { asked: 0 }, { asked: 0 }])
      const [first = 0, second = 0, third = 0] = askedAt
      expect(Math.min(second - first, third - second)).toBeGreaterThan(45)
      const tooLong = { ...options, maxAgeMs: 30 * day }
      await expect(receiver.reconcile(client, tooLong)).rejects.toThrow('less than retention.keyMs')
    })

    it('preserves the meanings of 202, 404 and 422, and gives up at the age limit', async () => {
      const clock = createClock()
      const { receiver, inbox, send } = setUp({ clock })
      receiver.onAny(() => {})
      const client = createClient((callId) => {
        if (callId === 'never') return toError('SummaryUnavailableError', 422)
        return callId === 'pending' ? toError('SummaryPendingError', 202) : toError('NotFoundError', 404)
      })
      for (const id of ['never', 'pending', 'unknown']) await send({ ...toEnd(id), channel: 'PSTN' })
      clock.advance(601_000)
      const options = { olderThanMs: 600_000, maxAgeMs: day, intervalMs: 1 }
      expect(await receiver.reconcile(client, options)).toEqual({
        asked: 3,
        accepted: 0,
        pending: 1,
        notFound: 1,
        unavailable: 1,
        denied: 0,
        limited: 0,
        givenUp: 0,
      })
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 0 })
      clock.advance(61_000)
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 2, pending: 1, notFound: 1 })
      clock.advance(day)
      expect(await receiver.reconcile(client, options)).toMatchObject({ asked: 0, givenUp: 2 })
      expect((await inbox.list({ state: 'given_up' })).map(({ subject }) => subject)).toEqual([
        'call:pending',
        'call:unknown',
      ])
    })

    it('deletes the entries in every final state when they are due', async () => {
      const clock = createClock()
      const retention = { handledBodyMs: day, parkedBodyMs: day, keyMs: 2 * day }
      const { receiver, inbox, send, table } = setUp({ clock, retention })
      receiver.onAny(() => {})
      await send(toJoin('discarded'), 'a')
      await inbox.discard({ groupId: 'discarded' })
      for (const id of ['b', 'c']) await send(toSummary('suppressed'), id)
      for (const id of ['erased', 'unavailable', 'given-up']) await send(toEnd(id), id)
      await receiver.drain()
      await inbox.erase({ callId: 'erased' })
      const client = createClient((callId) =>
        callId === 'unavailable'
          ? toError('SummaryUnavailableError', 422)
          : toError('SummaryPendingError', 202),
      )
      for (const ms of [601_000, day]) {
        clock.advance(ms)
        await receiver.reconcile(client, { olderThanMs: 600_000, maxAgeMs: day, intervalMs: 1 })
      }
      const states = ['discarded', 'erased', 'given_up', 'handled', 'suppressed', 'unavailable']
      expect(Object.keys(await inbox.count()).toSorted()).toEqual(states)
      // The first time forgets the bodies that are left.
      for (const ms of [3 * day, 3 * day]) {
        clock.advance(ms)
        await setUp({ table, clock, retention }).receiver.drain()
      }
      expect(await inbox.count()).toEqual({})
    })
  })

  describe(`${name}: rule 10, no daemon, no broker`, () => {
    it('lets any number of processes handle what is stored, each event once', async () => {
      const table = newTable()
      const workers = Array.from({ length: 3 }, () => setUp({ table, pollMs: 20 }))
      const handled: unknown[] = []
      for (const { receiver } of workers) {
        receiver.onAny((_, { delivery }) => handled.push(delivery.id))
        receiver.start()
      }
      const ids = Array.from({ length: 200 }, (_, index) => `e${index}`)
      await Promise.all(ids.map((id, index) => workers[index % 3]?.send(toJoin(`g${index % 40}`), id)))
      await expect.poll(() => handled).toHaveLength(200)
      expect(new Set(handled).size).toBe(200)
    })

    it('returns when an entry can be handled next, which is never in the past', async () => {
      const clock = createClock()
      const [gate, started] = [createGate(), createGate()]
      // It must not look for entries again while it waits for its handler.
      const first = setUp({ clock, claimTtlMs: 60_000, handlerTimeoutMs: 30_000, pollMs: 3_600_000 })
      first.receiver.onAny(() => {
        started.open()
        return gate.wait()
      })
      await first.send(toEnd('c'), 'a')
      const handling = first.receiver.drain()
      await started.wait()
      await first.send(toEnd('c'), 'b')
      clock.advance(10_000)
      const other = setUp({ clock, table: first.table })
      // The claim of the first expires after 60 seconds.
      expect(await other.receiver.drain()).toEqual({
        handled: 0,
        remaining: 2,
        nextDueAt: new Date(clock.now() + 50_000),
      })
      await other.send(toEnd('d'), 'c')
      clock.advance(1_000)
      expect(await other.receiver.drain({ maxMs: 0 })).toEqual({
        handled: 0,
        remaining: 3,
        nextDueAt: new Date(clock.now()),
      })
      gate.open()
      await handling
    })
  })
}
