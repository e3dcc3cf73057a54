import type pg from 'pg'

/**
 * Lists what the tables promise to running processes. `definition` must not change. `rejects` is set if the promise can
 * reject writes by a process that does not know it.
 */
const listPromises = /* sql */ `
WITH tables AS (
  SELECT c.oid, c.relname AS name FROM pg_class c
  WHERE c.relnamespace = 'wabakit'::regnamespace AND c.relkind IN ('r', 'p')
)
SELECT t.name AS table, 'table ' || t.name AS object, '' AS definition, false AS rejects FROM tables t
UNION ALL
SELECT t.name, 'column ' || t.name || '.' || a.attname,
  concat_ws(' ', format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
    CASE WHEN a.attidentity <> '' THEN 'IDENTITY' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)),
  a.attnotnull AND d.oid IS NULL AND a.attidentity = ''
FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
UNION ALL
SELECT t.name, 'constraint ' || k.conname || ' of ' || t.name, pg_get_constraintdef(k.oid), true
FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype <> 'n'
UNION ALL
SELECT t.name, 'unique index ' || c.relname, pg_get_indexdef(c.oid), true
FROM tables t JOIN pg_index i ON i.indrelid = t.oid AND i.indisunique JOIN pg_class c ON c.oid = i.indexrelid
UNION ALL
SELECT t.name, 'trigger ' || g.tgname || ' of ' || t.name, pg_get_triggerdef(g.oid), false
FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
UNION ALL
SELECT NULL, 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', pg_get_functiondef(p.oid), false
FROM pg_proc p WHERE p.pronamespace = 'wabakit'::regnamespace
ORDER BY 2`

type SchemaPromise = {
  /** `null` for a function. */
  readonly table: string | null
  readonly object: string
  readonly definition: string
  readonly rejects: boolean
}

/** Runs a step of the schema. Returns its changes that break processes of the previous version. */
export const listBreakingChanges = async (client: pg.Client, sql: string): Promise<string[]> => {
  const before = (await client.query<SchemaPromise>(listPromises)).rows
  await client.query(sql)
  const after = new Map(
    (await client.query<SchemaPromise>(listPromises)).rows.map((each) => [each.object, each]),
  )
  const known = new Set(before.map(({ object }) => object))
  const gone = before.flatMap(({ object, definition }) => {
    const now = after.get(object)
    if (now === undefined) return [`${object} was dropped or renamed`]
    return now.definition === definition ? [] : [`${object} was changed`]
  })
  const added = [...after.values()].filter(
    ({ table, object, rejects }) => rejects && !known.has(object) && known.has(`table ${table}`),
  )
  return [...gone, ...added.map(({ object }) => `${object} can reject what the previous version writes`)]
}
