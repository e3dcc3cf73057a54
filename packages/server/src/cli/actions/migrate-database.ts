import { StorageUnavailableError } from '@wabakit/core'
import { isPostgres } from '../../host/open-store.ts'
import { isSame } from '../../migrate-database/fingerprint.ts'
import { type MigrationResult, migrateDatabase } from '../../migrate-database/migrate-database.ts'
import type { Progress } from '../../migrate-database/progress.ts'
import { readAddress } from '../../stores/postgres/database-address.ts'
import { CliError, exitCodes } from '../cli-error.ts'
import type { Output } from '../output.ts'
import { createProgressLine } from '../progress-line.ts'

/** Options of {@link migrate}. */
export type MigrateOptions = { readonly from: string; readonly to: string }

const count = (rows: number): string => rows.toLocaleString('en-US')

const progressText = ({ step, table, done, total }: Progress): string => {
  const percent = Math.floor((done / total) * 100)
  return `${step} ${table}: ${count(done)} of ${count(total)} rows, ${percent} %`
}

// The URL is not repeated: it may hold a password.
const check = ({ from, to }: MigrateOptions): void => {
  if (isPostgres(from) || from === ':memory:') {
    const message = '--from must be a SQLite file: what can be migrated is SQLite to PostgreSQL.'
    throw new CliError(message, exitCodes.usage)
  }
  if (!isPostgres(to)) {
    const message = '--to must be a postgres:// URL: what can be migrated is SQLite to PostgreSQL.'
    throw new CliError(message, exitCodes.usage)
  }
  if (readAddress(to) === undefined) {
    const message = '--to cannot be read as a URL. Percent-encode the special characters of its password.'
    throw new CliError(message, exitCodes.usage)
  }
}

const tableText = ({ tables }: MigrationResult, { style }: Output): string => {
  const line = (cells: readonly [string, string, string], verdict: string): string =>
    `  ${cells[0].padEnd(14)}${cells[1].padStart(14)}${cells[2].padStart(14)}  ${verdict}`.trimEnd()
  return [
    line(['table', 'SQLite', 'PostgreSQL'], ''),
    ...tables.map(({ table, source, target }) =>
      line(
        [table, count(source.rows), count(target.rows)],
        isSame(source, target) ? style('green', 'same') : style('red', 'different'),
      ),
    ),
  ].join('\n')
}

const run = async (options: MigrateOptions): Promise<MigrationResult> => {
  const progress = createProgressLine()
  try {
    return await migrateDatabase({
      ...options,
      onProgress: (state) => progress.show(state.step, () => progressText(state)),
    })
  } catch (error) {
    if (!(error instanceof StorageUnavailableError)) throw error
    const remedy = 'Run the same command again: it goes on where it was.'
    throw new CliError(`${error.message} ${remedy}`, exitCodes.failed, { cause: error })
  } finally {
    progress.end()
  }
}

/**
 * Moves everything from a SQLite file into PostgreSQL, and shows the comparison of the two.
 *
 * @throws CliError when they differ.
 */
export const migrate = async ({ from, to }: MigrateOptions, output: Output): Promise<void> => {
  check({ from, to })
  const result = await run({ from, to })
  const different = result.tables.filter(({ source, target }) => !isSame(source, target))
  const comparison = {
    migrated: result.isEqual,
    from: result.from,
    to: result.to,
    tables: result.tables.map(({ table, source, target }) => ({
      table,
      same: isSame(source, target),
      source,
      target,
    })),
  }
  output.result(comparison, tableText(result, output))
  if (different.length > 0) {
    const names = different.map(({ table }) => table).join(', ')
    throw new CliError(
      `Not the same on both sides: ${names}. No server starts on ${result.to}. Drop its schema "wabakit" and migrate again.`,
    )
  }
  output.note(
    `All is in ${result.to}. Put ${result.from} away, and start: wabakit serve --database ${result.to}`,
  )
}
