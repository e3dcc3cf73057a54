import { StorageUnavailableError } from '@wabakit/core'
import type { Command } from 'commander'
import {
  isSame,
  type MigrationResult,
  migrateDatabase,
  type Progress,
} from '../migrate-database/migrate-database.ts'
import { isPostgres } from '../serve/open-store.ts'
import { readAddress } from '../stores/postgres/database-address.ts'
import { addExamples, addOptions, commandName, createFormatOption } from './options.ts'
import { CliError, createOutput, exitCodes, type Output } from './output.ts'
import { createProgressLine } from './progress-line.ts'

type MigrateOptions = { readonly from: string; readonly to: string }

const formatCount = (rows: number): string => rows.toLocaleString('en-US')

const formatProgress = ({ step, table, done, total }: Progress): string => {
  const percent = Math.floor((done / total) * 100)
  return `${step} ${table}: ${formatCount(done)} of ${formatCount(total)} rows, ${percent} %`
}

// Messages omit the URL, because it may contain a password.
const findMistake = ({ from, to }: MigrateOptions): string | undefined => {
  const reason = 'because only SQLite can be migrated to PostgreSQL.'
  if (isPostgres(from) || from === ':memory:') return `--from must be a SQLite file, ${reason}`
  if (!isPostgres(to)) return `--to must be a postgres:// URL, ${reason}`
  return readAddress(to) === undefined
    ? '--to cannot be read as a URL. Percent-encode special characters in the password.'
    : undefined
}

const formatTable = ({ tables }: Pick<MigrationResult, 'tables'>, { style }: Output): string => {
  const formatLine = (table: string, source: string, target: string): string =>
    `  ${table.padEnd(14)}${source.padStart(14)}${target.padStart(14)}`
  const lines = tables.map((each) => {
    const verdict = isSame(each) ? style('green', 'same') : style('red', 'different')
    return `${formatLine(each.table, formatCount(each.source.rows), formatCount(each.target.rows))}  ${verdict}`
  })
  return [formatLine('table', 'SQLite', 'PostgreSQL'), ...lines].join('\n')
}

const run = async (options: MigrateOptions): Promise<MigrationResult> => {
  const progress = createProgressLine()
  try {
    return await migrateDatabase({
      ...options,
      onProgress: (state) => progress.show(state.step, () => formatProgress(state)),
    })
  } catch (error) {
    if (!(error instanceof StorageUnavailableError)) throw error
    const remedy = 'Run the same command again to continue.'
    throw new CliError(`${error.message} ${remedy}`, exitCodes.failed, { cause: error })
  } finally {
    progress.end()
  }
}

/** Migrates a SQLite file to PostgreSQL and prints a comparison. Throws a CliError if the databases differ, among others. */
export const migrate = async ({ from, to }: MigrateOptions, output: Output): Promise<void> => {
  const mistake = findMistake({ from, to })
  if (mistake !== undefined) throw new CliError(mistake, exitCodes.usage)
  const { isEqual: migrated, ...result } = await run({ from, to })
  const tables = result.tables.map((each) => ({ ...each, same: isSame(each) }))
  const different = tables.filter(({ same }) => !same)
  output.result({ migrated, ...result, tables }, formatTable(result, output))
  if (different.length > 0) {
    const names = different.map(({ table }) => table).join(', ')
    throw new CliError(
      `These tables differ: ${names}. No server will start on ${result.to}. Drop its schema "wabakit" and migrate again.`,
    )
  }
  output.notice(
    `${result.to} now has all data. Archive ${result.from} and start: ${commandName} serve --database ${result.to}`,
  )
}

export const define = (command: Command): void => {
  addOptions(command, {
    '--from <file>': { about: 'SQLite file that no server is using', isRequired: true },
    '--to <url>': { about: 'URL of the PostgreSQL database (postgres://…)', isRequired: true },
  })
    .addOption(createFormatOption())
    .addHelpText('after', '\nRun the same command again after an interruption to continue.')
    .action((options) => migrate(options, createOutput(options)))
  addExamples(command, 'migrate-database --from ./wabakit.db --to postgres://wabakit@db.internal/wabakit')
}
