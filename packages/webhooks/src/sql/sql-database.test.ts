import { expect, it, vi } from 'vitest'
import { sqlDedupe } from '../dedupe/sql-dedupe.ts'
import { createQualifier, createRunner, type SqlResult } from './sql-database.ts'

it.each<[string, 'postgresql' | 'mysql' | 'sqlite', SqlResult, object]>([
  ['pg', 'postgresql', { rows: [{ a: 1 }, { a: 2 }] }, { rows: [{ a: 1 }, { a: 2 }], count: 2 }],
  ['a function that resolves to rows', 'sqlite', [{ a: 1 }], { rows: [{ a: 1 }], count: 1 }],
  ['mysql2, for rows', 'mysql', [[{ a: 1 }], []], { rows: [{ a: 1 }], count: 1 }],
  ['mysql2, for a change', 'mysql', [{ affectedRows: 3 }, undefined], { rows: [], count: 3 }],
])('reads the result of %s', async (_, dialect, result, expected) => {
  expect(await createRunner(async () => result, dialect)('SELECT 1', [])).toEqual(expected)
})

it.each([[undefined], [{}], [[{ affectedRows: '1' }]], [{ rows: 1 }]])(
  'explains what a query function must resolve to, other than %o',
  async (result) => {
    const run = createRunner(async () => result as unknown as SqlResult, 'mysql')
    await expect(run('SELECT 1', [])).rejects.toThrow('must resolve to rows, as those of pg and mysql2 do')
  },
)

it('numbers the values of a statement only for PostgreSQL, and calls a method of the client', async () => {
  const texts = { postgresql: 'SELECT $1, $2', mysql: 'SELECT ?, ?', sqlite: 'SELECT ?, ?' } as const
  for (const dialect of ['postgresql', 'mysql', 'sqlite'] as const) {
    const client = { query: vi.fn(async () => ({ rows: [] })) }
    await createRunner(client, dialect)('SELECT ?, ?', [1, 'a'])
    expect(client.query.mock.calls).toEqual([[texts[dialect], [1, 'a']]])
  }
})

it('claims nothing when the database neither inserts a row nor has one', async () => {
  await expect(sqlDedupe(async () => []).claim('key', 1)).rejects.toThrow(
    'The row for "key" in wabakit_webhook_deliveries can neither be inserted nor read.',
  )
})

it('deletes expired rows after every 1,000 completions', async () => {
  using _random = vi.spyOn(Math, 'random').mockReturnValue(0)
  const query = vi.fn(async (_text: string) => [{}])
  const claim = await sqlDedupe(query).claim('key', 1)
  if (typeof claim !== 'object') throw new Error(claim)
  const countDeletions = () => query.mock.calls.filter(([text]) => text.startsWith('DELETE')).length
  for (const [completions, deletions] of [
    [999, 0],
    [1, 1],
    [999, 1],
    [1, 2],
  ] as const) {
    for (let count = 0; count < completions; count += 1) await claim.complete()
    expect(countDeletions()).toBe(deletions)
  }
})

it.each([
  ['inbox', 'app'],
  ['inbox$1', 'app'],
  ['inbox', '"a$1$&"'],
])('the table %s of the schema %s is named with its schema, and nothing else is', (table, schema) => {
  const text = `INSERT INTO ${table} (id) SELECT id FROM ${table} e JOIN ${table}_old o ON ${table}.id = o.id`
  expect(createQualifier(table)(text, schema)).toBe(
    `INSERT INTO ${schema}.${table} (id) SELECT id FROM ${schema}.${table} e JOIN ${table}_old o ON ${table}.id = o.id`,
  )
})

it('a name that begins with the name of the table is another table', () => {
  expect(createQualifier('inbox')('DELETE FROM inbox$2', 'app')).toBe('DELETE FROM inbox$2')
})
