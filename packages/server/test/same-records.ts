import { memoryStore, type Store } from '@wabakit/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  buildApiKey,
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSummary,
  start,
} from '../../core/test/store-cases/index.ts'

const ids = ['a', 'b'] as const
const hour = 3_600_000
const id = fc.constantFrom(...ids)
const time = fc.integer({ min: 0, max: 50 }).map((hours) => start + hours * hour)
const revision = fc.integer({ min: 1, max: 3 })
/** `own` is one of two organizations, which have records with the same ids. */
const step = <Kind extends string, Fields extends object>(
  kind: Kind,
  fields: { readonly [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
) =>
  fc.record<{ kind: Kind; own: 'a' | 'b' } & Fields>({ kind: fc.constant(kind), own: id, ...fields } as never)

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: step('group', { id, requestHash: fc.constantFrom(null, '1', '2') }) },
    {
      weight: 6,
      arbitrary: step('participant', { id, digits: id, revision, isJoined: fc.boolean() }),
    },
    { weight: 6, arbitrary: step('call', { id, revision }) },
    { weight: 4, arbitrary: step('summary', { id }) },
    { weight: 3, arbitrary: step('key', { id, isAdded: fc.boolean() }) },
    { weight: 4, arbitrary: step('figures', { count: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 2, arbitrary: step('organization', { revision }) },
    { weight: 1, arbitrary: step('remove', {}) },
    { weight: 1, arbitrary: step('rollUp', { at: time }) },
    { weight: 1, arbitrary: step('prune', { at: time, before: time }) },
    { weight: 2, arbitrary: step('erase', { id }) },
  ),
  { minLength: 20, maxLength: 50, size: 'max' },
)
type Step = typeof steps extends fc.Arbitrary<readonly (infer Each)[]> ? Each : never

/** Runs steps on a store. Returns the result of each step, and the records after every fifth one. */
const play = async (store: Store, given: readonly Step[], run: number): Promise<unknown[]> => {
  const name = (own: string): string => `${own}_${run}`
  const take = async (each: Step, index: number): Promise<unknown> => {
    const organizationId = name(each.own)
    const at = start + index * hour
    const event = buildEvent({ id: `evt_${run}_${index}`, organizationId, occurredAt: at })
    switch (each.kind) {
      case 'group': {
        const { id: clientCustomGroupId, requestHash } = each
        const group = buildGroup({ organizationId, clientCustomGroupId, createdAt: at, requestHash })
        return store.createGroup({ group, event })
      }
      case 'participant': {
        const { id: groupId, digits, isJoined } = each
        const state = isJoined ? 'joined' : 'left'
        // The core requires the group, and engines remember its last change with it.
        if ((await store.findGroup(organizationId, groupId)) === undefined) return undefined
        const about = {
          organizationId,
          groupId,
          changedAt: at,
          digits,
          state,
          revision: each.revision,
        } as const
        return store.saveParticipant({ participant: buildParticipant(about), event })
      }
      case 'call': {
        const { id: callId, revision } = each
        const call = buildCall({ organizationId, callId, revision, initiatedAt: at, updatedAt: at })
        return store.saveCall({ call, event: index % 2 === 0 ? event : null })
      }
      case 'summary':
        return store.saveSummary({
          summary: buildSummary({ organizationId, callId: each.id, generatedAt: at }),
          event,
        })
      case 'key':
        return each.isAdded
          ? store.addApiKey(buildApiKey({ organizationId, id: each.id, hash: `${run} ${each.id}` }))
          : store.removeApiKey(organizationId, each.id)
      case 'figures': {
        const period = { at, span: 10_000 }
        return store.addFigures([
          { organizationId, subscriptionId: '', ...period, counts: { events: each.count } },
        ])
      }
      case 'organization':
        return store.saveOrganization(buildOrganization({ id: organizationId, revision: each.revision }))
      case 'remove':
        return store.removeOrganization(organizationId)
      // How many records one call removes differs between engines.
      case 'rollUp':
        while ((await store.rollUpFigures({ now: each.at + 30 * hour, limit: 100 })) > 0);
        return undefined
      case 'prune':
        while ((await store.prune({ before: each.before, recordsBefore: each.at, limit: 100 })) > 0);
        return undefined
      case 'erase':
        return store.erase({ organizationId, now: at, callIds: [each.id], participants: [], eventIds: [] })
    }
  }
  const read = async (own: string): Promise<unknown> => {
    const organizationId = name(own)
    const page = { organizationId, limit: 100 }
    const figures = await store.listFigures({ organizationId, subscriptionIds: [''], from: 0 })
    return [
      await store.findOrganization(organizationId),
      (await store.listGroups(page)).items,
      (await store.listCalls(page)).items,
      (await store.listEvents(page)).items.map((each) => each.id),
      figures.toSorted((left, right) => left.at - right.at || left.span - right.span),
      await store.listApiKeys(organizationId),
      await Promise.all(ids.map((each) => store.findCaller(`${run} ${each}`))),
      await Promise.all(ids.map((each) => store.findCall(organizationId, each))),
      await Promise.all(ids.map((groupId) => store.listMembers({ ...page, groupId }))),
      await Promise.all(
        ids.map(async (digits) =>
          (await store.listParticipants(organizationId, digits)).toSorted((left, right) =>
            left.groupId.localeCompare(right.groupId),
          ),
        ),
      ),
    ]
  }

  const answers: unknown[] = []
  for (const own of ids) await store.saveOrganization(buildOrganization({ id: name(own) }))
  for (const [index, each] of given.entries()) {
    const answer = await take(each, index).catch((error: Error) => `${error.name}: ${error.message}`)
    answers.push({ each, answer })
    if (index % 5 === 4 || index === given.length - 1) answers.push([await read('a'), await read('b')])
  }
  for (const own of ids) await store.removeOrganization(name(own))
  return answers
}

/** Expects that random changes of records in two organizations have the same results as in memory. */
export const expectSameRecords = async (store: Store, numRuns: number): Promise<void> => {
  const memory = memoryStore()
  let run = 0
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      run++
      expect(await play(store, given, run)).toEqual(await play(memory, given, run))
    }),
    { numRuns: Number(process.env.WABAKIT_TEST_RUNS ?? numRuns), interruptAfterTimeLimit: 60_000 },
  )
}
