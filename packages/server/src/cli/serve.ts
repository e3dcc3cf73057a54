import type { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { inspectorPath } from '../inspector/serve-page.ts'
import { closeOnSignal } from '../serve/close-on-signal.ts'
import { formatDatabase } from '../serve/open-store.ts'
import { type RunningServer, startServer } from '../serve/start-server.ts'
import { addExamples, commandName } from './options.ts'
import { createOutput, type Output } from './output.ts'
import { addSettingOptions, type SettingFlags } from './setting-options.ts'

const listFacts = ({ url, demo }: RunningServer, database: string, { style }: Output): string[][] => {
  const facts = [
    ['API', url],
    ['database', database],
  ]
  if (demo === undefined) return facts
  facts.push(
    ['organization', demo.organizationId],
    ['WABA number', demo.wabaNumber],
    ['PSTN number', demo.pstnNumber],
    [
      'API key',
      demo.apiKey === undefined
        ? `was shown when it was created; to create another: ${commandName} key create`
        : `${style('bold', demo.apiKey)}  (shown this once)`,
    ],
  )
  if (demo.webhookSecret !== undefined) {
    facts.push(['webhook secret', `${style('bold', demo.webhookSecret)}  (shown this once)`])
  }
  return facts
}

/** Lists the next steps, including the inspector's URL. */
const listNextSteps = (
  { url, demo }: RunningServer,
  { role, webhookUrl, port }: ServerConfig,
  { style }: Output,
): string[] => {
  if (role === 'worker') return []
  const server = port === 4_100 ? '' : ` --server ${url}`
  const steps = [[`open ${url}${inspectorPath}`, 'the inspector']]
  if (demo !== undefined) steps.push([`${commandName} trigger call${server}`, 'simulate a call'])
  if (demo !== undefined && webhookUrl === undefined) {
    steps.push([
      `${commandName} listen${server} --forward-to http://127.0.0.1:3000/webhooks`,
      'get its events',
    ])
  }
  return [
    '',
    'Next',
    ...steps.map(([step = '', what]) => `  ${style('bold', step)}  ${style('dim', `# ${what}`)}`),
  ]
}

const serve = async ({ config: file, ...flags }: SettingFlags, output: Output): Promise<void> => {
  const config = loadConfig({ flags, file })
  const server = await startServer(config)
  // Handles signals before printing the result, because a process that waits for the result may send a signal
  // immediately.
  const closed = closeOnSignal(server)
  const database = formatDatabase(config.database)
  const lines = listFacts(server, database, output).map(
    ([name = '', value]) => `  ${name.padEnd(15)} ${value}`,
  )
  output.result(
    { ready: true, url: server.url, database, demo: server.demo ?? null },
    [
      `${output.style('green', 'ready')} ${server.url}`,
      ...lines,
      ...listNextSteps(server, config, output),
    ].join('\n'),
  )
  await closed
}

export const define = (command: Command): void => {
  addSettingOptions(command).action(({ format, ...flags }) => serve(flags, createOutput({ format })))
  addExamples(
    command,
    '',
    'serve --port 0 --database :memory:',
    'serve --webhook-url http://127.0.0.1:3000/webhooks',
  )
}
