import { type Outcome, readColumn, readOutcome } from '../../sql/sql-database.ts'
import type { InboxValue } from '../engine.ts'

/** Some values are Buffers. The type does not name `Buffer`, because projects may not have the types of Node.js. */
type Execute = (statement: { sql: string }, values: never[]) => Promise<unknown[]>

/** Undoes settings of a pool that change the form of rows and values. */
const settings = {
  rowsAsArray: false,
  nestTables: false,
  bigNumberStrings: false,
  typeCast: (_: unknown, next: () => unknown) => next(),
}

/** The part of a `mysql2/promise` connection that an inbox uses. */
export type MysqlConnection = {
  execute: Execute
  query(text: string): Promise<unknown[]>
  release(): unknown
  destroy(): unknown
}

/** The part of a `mysql2/promise` pool that an inbox uses. */
export type MysqlPool = {
  getConnection(): Promise<MysqlConnection>
  execute: Execute
}

const toParameter = (value: InboxValue) => (ArrayBuffer.isView(value) ? Buffer.from(value) : value)

/** Translates a statement of the inbox for MySQL, which has no RETURNING and needs a number after LIMIT. */
const translate = (text: string, values: readonly InboxValue[]) => {
  const parameters: ReturnType<typeof toParameter>[] = []
  let position = 0
  const translated = text
    .replace(/\s+RETURNING \w+$/, '')
    .replace('ON CONFLICT (event_key) DO NOTHING', 'ON DUPLICATE KEY UPDATE id = id')
    .replace('ON CONFLICT (event_key) DO UPDATE SET', 'ON DUPLICATE KEY UPDATE')
    .replaceAll(/(LIMIT )?\?/g, (placeholder, limit?: string) => {
      const value = values[position++]
      if (limit !== undefined) return `LIMIT ${Number(value)}`
      parameters.push(toParameter(value ?? null))
      return placeholder
    })
  return [{ ...settings, sql: translated }, parameters as never[]] as const
}

/** Runs a statement of the inbox. */
export const execute = async (
  connection: Pick<MysqlPool, 'execute'>,
  text: string,
  values: readonly InboxValue[] = [],
): Promise<Outcome> => readOutcome(await connection.execute(...translate(text, values)), 'mysql')

export const readIds = ({ rows }: Outcome): string[] =>
  rows.flatMap((row) => {
    const id = readColumn(row, 'id')
    return id === null ? [] : [String(id)]
  })

/** A column of a result that says whether the server is read only. */
export const isReadOnly = '@@read_only + @@innodb_read_only AS is_read_only'

/** Throws if a row with the column {@link isReadOnly} comes from a server that is read only. */
export const assertWritable = (row: unknown): void => {
  if (Number(readColumn(row, 'is_read_only')) > 0)
    throw new Error('The database is read only. Is it a replica, or no longer the primary?')
}
