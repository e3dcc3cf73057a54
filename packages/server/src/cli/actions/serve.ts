import { loadConfig } from '../../config/load-config.ts'
import { closeOnSignal } from '../../host/close-on-signal.ts'
import { isPostgres } from '../../host/open-store.ts'
import { type RunningServer, startServer } from '../../host/start-server.ts'
import { formatAddress } from '../../stores/postgres/database-address.ts'
import type { Output } from '../output.ts'

/** Flags of a server's settings by the settings' names, and the file to read. */
export type ServeOptions = Readonly<Record<string, string | boolean | undefined>>

const facts = ({ url, demo }: RunningServer, database: string, { style }: Output): [string, string][] => {
  const lines: [string, string][] = [
    ['API', url],
    ['database', database],
  ]
  if (demo === undefined) return lines
  lines.push(
    ['organization', demo.organizationId],
    ['WABA number', demo.wabaNumber],
    ['PSTN number', demo.pstnNumber],
    [
      'API key',
      demo.apiKey === undefined
        ? 'was shown when it was made; the control API makes another'
        : `${style('bold', demo.apiKey)}  (shown this once)`,
    ],
  )
  if (demo.webhookSecret !== undefined) {
    lines.push(['webhook secret', `${style('bold', demo.webhookSecret)}  (shown this once)`])
  }
  return lines
}

const shown = (database: string): string => (isPostgres(database) ? formatAddress(database) : database)

const pretty = (server: RunningServer, database: string, output: Output): string => {
  const lines = facts(server, database, output).map(([name, value]) => `  ${name.padEnd(15)} ${value}`)
  return [`${output.style('green', 'ready')} ${server.url}`, ...lines].join('\n')
}

/** Runs a server until it is told to end. */
export const serve = async ({ config: file, ...flags }: ServeOptions, output: Output): Promise<void> => {
  const config = loadConfig({ flags, file: typeof file === 'string' ? file : undefined })
  const server = await startServer(config, { ownsProcess: true })
  // Before the ready line: whoever waits for that may send a signal at once.
  const closed = closeOnSignal(server)
  const database = shown(config.database)
  output.result(
    { ready: true, url: server.url, database, demo: server.demo ?? null },
    pretty(server, database, output),
  )
  await closed
}
