import type { EventRecord } from '@wabakit/core'
import type { StoredRecords, TableName } from '../../columns.ts'
import type { Query } from '../query.ts'
import { type JsonRow, listColumns, mapTable } from '../records.ts'
import { formatEvents } from './events.ts'
import type { AddedRow } from './lanes.ts'

/** The record to which the records of a table belong. */
type Parent = {
  readonly table: TableName
  readonly key: string
  /** The column of the dependent record that contains the key. */
  readonly column: string
  /** The code of the error if there is no such record (storage-errors.ts). */
  readonly code: string
}

type ChangeFunction = {
  readonly name: string
  readonly table: TableName
  /** The columns that identify a record. */
  readonly key: readonly string[]
  readonly parent?: Parent
  /** The `ON CONFLICT` action for existing records. */
  readonly conflict: string
  /** A condition on the records to insert. */
  readonly where?: string
  /** Statements to run before the changes' events are published. */
  readonly before?: string
  /** Statements to run after the changes' events are published. */
  readonly after?: string
}

/** Returns the statements that require the records' parents, and keep them from being removed before the changes are committed. */
const formatParent = ({ table, key, column, code }: Parent): string => `
  SELECT r.${column} INTO missing FROM (SELECT * FROM unnest(input) ORDER BY organization_id, ${column}) AS r
  LEFT JOIN LATERAL (
    SELECT true AS exists FROM wabakit.${table} p
    WHERE p.organization_id = r.organization_id AND p.${key} = r.${column} OFFSET 0 FOR KEY SHARE
  ) AS p ON true WHERE p.exists IS NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'There is no such record.' USING ERRCODE = '${code}', DETAIL = missing;
  END IF;`

/**
 * Returns the SQL of a function that makes several changes to different records. Each change is stored with its event
 * and the deliveries of the event. Records are locked in key order, which prevents deadlocks. `done` contains the
 * ordinals, from 1, of the changes whose events are published: those that were made and, of summaries, only each call's first
 * one.
 */
const formatChange = (change: ChangeFunction): string => {
  const { name, table, parent, conflict, where = '', before = '', after = '' } = change
  const key = change.key.join(', ')
  return /* sql */ `
CREATE FUNCTION ${name}(
  p_organizations text[], p_records json, p_events json, OUT done integer[], OUT existing json, OUT added json
) LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.${table}[];
  missing text;
BEGIN
  PERFORM enter_organizations(p_organizations);
  input := ARRAY(SELECT r FROM json_populate_recordset(NULL::wabakit.${table}, p_records) AS r);
  ${parent === undefined ? '' : formatParent(parent)}
  WITH saved AS (
    INSERT INTO wabakit.${table} AS current (${listColumns(table)})
    SELECT ${listColumns(table, 'r')} FROM (SELECT * FROM unnest(input) ORDER BY ${key} OFFSET 0) AS r ${where}
    ON CONFLICT ${conflict} RETURNING ${key}
  )
  SELECT coalesce(array_agg(r.ordinality), '{}') INTO done
  FROM unnest(input) WITH ORDINALITY AS r JOIN saved USING (${key});
  ${before}
  added := publish(p_events, done);
  ${after}
END $$;
`
}

/**
 * Returns the SQL of a function that inserts records of revision 1, and changes others if their new revision directly follows
 * the stored one. The stored one is locked before it is changed, because a record that is erased meanwhile would be inserted
 * again.
 */
const formatRevision = (change: Pick<ChangeFunction, 'name' | 'table' | 'key' | 'parent'>): string => {
  const { table, key } = change
  return formatChange({
    ...change,
    where: `WHERE r.revision = 1 OR EXISTS (
      SELECT FROM wabakit.${table} e WHERE ${key.map((column) => `e.${column} = r.${column}`).join(' AND ')} OFFSET 0
      FOR NO KEY UPDATE
    )`,
    conflict: `(${key.join(', ')}) DO UPDATE SET (${listColumns(table)}) = ROW(${listColumns(table, 'EXCLUDED')})
    WHERE current.revision = EXCLUDED.revision - 1`,
  })
}

export const changeFunctions: string = [
  formatChange({
    name: 'create_groups',
    table: 'groups',
    key: ['organization_id', 'client_custom_group_id'],
    // Locks an existing group without changing it, so that no prune removes it before it is read.
    conflict: '(organization_id, client_custom_group_id) DO UPDATE SET subject = current.subject WHERE false',
    after: `SELECT json_agg(json_build_object(
    'ordinal', g.ordinality,
    'outcome', CASE WHEN (found.row).request_hash = g.request_hash THEN 'same' ELSE 'conflict' END,
    'group', row_to_json(found.row)
  )) INTO existing
  FROM unnest(input) WITH ORDINALITY AS g
  CROSS JOIN LATERAL (
    SELECT e AS row FROM wabakit.groups e
    WHERE e.organization_id = g.organization_id AND e.client_custom_group_id = g.client_custom_group_id OFFSET 0
  ) AS found
  WHERE NOT g.ordinality = ANY (done);`,
  }),
  formatRevision({
    name: 'save_participants',
    table: 'participants',
    key: ['organization_id', 'group_id', 'digits'],
    parent: { table: 'groups', key: 'client_custom_group_id', column: 'group_id', code: 'WK405' },
  }),
  formatRevision({ name: 'save_calls', table: 'calls', key: ['organization_id', 'call_id'] }),
  // Replaces an existing summary. `done` contains the change only if the summary is the call's first one.
  formatChange({
    name: 'save_summaries',
    table: 'summaries',
    key: ['organization_id', 'call_id'],
    parent: { table: 'calls', key: 'call_id', column: 'call_id', code: 'WK406' },
    conflict: 'DO NOTHING',
    // The update alone does not lock the summaries in key order.
    before: `PERFORM FROM wabakit.summaries e JOIN unnest(input) AS s ON e.organization_id = s.organization_id AND e.call_id = s.call_id
  ORDER BY e.organization_id, e.call_id FOR NO KEY UPDATE OF e;
  UPDATE wabakit.summaries e SET (${listColumns('summaries')}) = ROW(${listColumns('summaries', 's')})
  FROM unnest(input) WITH ORDINALITY AS s
  WHERE NOT s.ordinality = ANY (done) AND e.organization_id = s.organization_id AND e.call_id = s.call_id;
  done := ARRAY(
    SELECT n FROM unnest(done) AS n WHERE NOT EXISTS (
      SELECT FROM wabakit.summary_marks m
      WHERE m.organization_id = input[n].organization_id
        AND m.hash = encode(sha256(convert_to(input[n].call_id, 'UTF8')), 'hex') OFFSET 0
    )
  );`,
  }),
].join('')

/** An existing group with the requested id. */
export type ExistingGroup = {
  readonly ordinal: number
  readonly outcome: 'same' | 'conflict'
  readonly group: JsonRow
}

export type ChangeResult = {
  /** The ordinals, from 1, of the changes whose events were published: those made and, of summaries, each call's first one. */
  readonly done: readonly number[]
  /** The groups with the ids of those that were not created. */
  readonly existing: readonly ExistingGroup[] | null
  readonly added: readonly AddedRow[] | null
}

export type ChangeInput<Table extends TableName> = {
  readonly table: Table
  readonly records: readonly (StoredRecords[Table] & { readonly organizationId: string })[]
  readonly events: readonly (EventRecord | null)[]
}

const statements = {
  groups: 'SELECT * FROM create_groups($1, $2, $3)',
  participants: 'SELECT * FROM save_participants($1, $2, $3)',
  calls: 'SELECT * FROM save_calls($1, $2, $3)',
  summaries: 'SELECT * FROM save_summaries($1, $2, $3)',
}

export type ChangedTable = keyof typeof statements

/** Changes records of one table and publishes the changes' events. */
export const changeRecords = async <Table extends ChangedTable>(
  query: Query,
  { table, records, events }: ChangeInput<Table>,
): Promise<ChangeResult | undefined> => {
  const [result] = await query<ChangeResult>(statements[table], [
    records.map(({ organizationId }) => organizationId),
    JSON.stringify(records.map(mapTable(table).toRow)),
    formatEvents(events),
  ])
  return result
}
