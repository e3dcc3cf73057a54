import type { DatabaseSync } from 'node:sqlite'
import { DatabaseOpenError, DatabaseVersionError } from '../errors.ts'
import { explainDifferentStep, findDifferentStep, hashStep } from '../schema-steps.ts'
import { migrations } from './migrations.ts'

/** Identifies our databases (https://sqlite.org/pragma.html#pragma_application_id): `waba` in ASCII. */
const applicationId = 0x77616261

/** Reads the number that a query returns; 0 if it returns no row. */
export const readNumber = (database: DatabaseSync, sql: string, ...values: string[]): number =>
  Number(Object.values(database.prepare(sql).get(...values) ?? {})[0] ?? 0)

const readHashes = (database: DatabaseSync): unknown[] =>
  database
    .prepare('select hash from schemaSteps order by version')
    .all()
    .map(({ hash }) => hash)

/**
 * Reads the version of a database's schema, which is the number of its migrations. Writes nothing.
 *
 * @throws DatabaseVersionError if the version is newer than this software.
 * @throws DatabaseOpenError if the database belongs to another program, or its migrations differ from this software's.
 */
export const readVersion = (database: DatabaseSync, path: string): number => {
  const found = readNumber(database, 'pragma user_version')
  const isOurs = readNumber(database, 'pragma application_id') === applicationId
  const isNew = found === 0 && readNumber(database, 'select count(*) from sqlite_schema') === 0
  if (!isOurs && !isNew) {
    throw new DatabaseOpenError(path, 'It belongs to another program. Choose another file.')
  }
  if (found > migrations.length) throw new DatabaseVersionError(path, { found, supported: migrations.length })
  if (found === 0) return found
  const different = findDifferentStep(migrations.slice(0, found), readHashes(database))
  if (different !== undefined) throw new DatabaseOpenError(path, explainDifferentStep(different))
  return found
}

/** Migrates a database from a version to the newest one, in one transaction. */
export const migrate = (database: DatabaseSync, version: number): void => {
  if (version === migrations.length) return
  database.exec(`
    begin immediate;
    create table if not exists schemaSteps (version integer primary key, hash text not null) strict;
    ${migrations
      .map((step, index) => `${step}\ninsert into schemaSteps values (${index + 1}, '${hashStep(step)}');`)
      .slice(version)
      .join('\n')}
    pragma application_id = ${applicationId};
    pragma user_version = ${migrations.length};
    commit;
  `)
}
