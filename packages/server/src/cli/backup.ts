import { resolve } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import { isPostgres } from '../serve/open-store.ts'
import { formatAddress } from '../stores/postgres/database-address.ts'
import { backUp } from '../stores/sqlite/back-up.ts'
import { addExamples, createFormatOption } from './options.ts'
import { CliError, createOutput, exitCodes, type Output } from './output.ts'

type BackupOptions = { readonly database?: string; readonly config?: string }

/** Returns the name of a backup made now, such as `wabakit-2026-01-01T12-00-00Z.db`. */
const nameBackup = (database: string): string =>
  `${database.replace(/\.\w+$/, '')}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`

const formatSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

const backup = (file: string | undefined, { database, config }: BackupOptions, output: Output): void => {
  const from = loadConfig({ flags: { database }, file: config }).database
  if (from === ':memory:') {
    const message = 'A database in memory cannot be backed up. Name a file: --database ./wabakit.db'
    throw new CliError(message, exitCodes.usage)
  }
  if (isPostgres(from)) {
    const message = `This copies SQLite files. Back up PostgreSQL with its own tool: pg_dump --format=custom --schema=wabakit --file=wabakit.dump ${formatAddress(from)}`
    throw new CliError(message, exitCodes.usage)
  }
  const to = resolve(file ?? nameBackup(from))
  const bytes = backUp({ from, to })
  output.result({ from: resolve(from), to, bytes }, `${to}  ${formatSize(bytes)}, checked`)
  output.notice(
    `It contains secrets and personal data; only you can read it. Copy it to another machine.\nTo restore it, stop the server, move ${from} away, with ${from}-wal and ${from}-shm if they exist, and rename the backup to ${from}.`,
  )
}

export const define = (command: Command): void => {
  command
    .argument('[file]', 'the new file (default: the name of the database with the time, next to it)')
    .option('--database <file>', 'SQLite file to copy (default: as for serve)')
    .option('--config <file>', 'JSON file with settings (default: wabakit.config.json if it exists)')
    .addOption(createFormatOption())
    .addHelpText('after', '\nThe server can go on running. No file is overwritten.')
    .action((file, options) => backup(file, options, createOutput(options)))
  addExamples(command, 'backup', 'backup /backups/wabakit.db --database ./wabakit.db')
}
