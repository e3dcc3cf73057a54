import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { formatOption, option } from '../options.ts'
import { outputOf } from '../output.ts'

/** Adds `wabakit migrate-database`. */
export const addMigrateDatabase = (program: Command): void => {
  program
    .command('migrate-database')
    .description('move everything from a SQLite file into an empty PostgreSQL database')
    .addOption(option('--from <file>', 'the SQLite file; no server may use it').makeOptionMandatory())
    .addOption(option('--to <url>', 'the PostgreSQL database, as postgres://…').makeOptionMandatory())
    .addOption(formatOption())
    .addHelpText(
      'after',
      `\nRun it again after an interruption: it goes on where it was.\n${examples(
        'migrate-database --from ./wabakit.db --to postgres://wabakit@db.internal/wabakit',
      )}`,
    )
    .action(async (options) =>
      (await import('../actions/migrate-database.ts')).migrate(options, outputOf(options)),
    )
}
