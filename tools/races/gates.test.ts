import { expect, test } from 'vitest'
import { functions } from '../../packages/server/src/stores/postgres/functions/index.ts'
import { addGates, readFootprint } from './gates.ts'

test.each([
  'INSERT INTO wabakit.events (id) VALUES ($1) ON CONFLICT DO UPDATE SET id = $1',
  'insert into wabakit.events (id) values ($1) on conflict do update set id = $1',
  'Insert Into\n  "wabakit"."events" (id) -- all of wabakit.calls\nVALUES ($1) ON CONFLICT DO\n UPDATE SET id = $1',
])('a statement has the same footprint however it is spelled: %j', (statement) => {
  const events = new Set(['events'])
  expect(readFootprint(statement)).toEqual({
    reads: events,
    inserts: events,
    changes: events,
    locks: new Set(),
    shares: new Set(['the transactions']),
  })
})

test('the functions have the same gates in lower case', () => {
  const listFootprints = (replace: string) =>
    addGates({ name: 'spelling', find: functions, replace }).gates.map(({ footprint }) => footprint)
  expect(listFootprints(functions).length).toBeGreaterThan(20)
  expect(listFootprints(functions.toLowerCase())).toEqual(listFootprints(functions))
})
