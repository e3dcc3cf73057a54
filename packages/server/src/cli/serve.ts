import { inspectorPath } from '@wabakit/core/hosting'
import type { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { closeOnSignal } from '../serve/close-on-signal.ts'
import { formatDatabase } from '../serve/open-store.ts'
import { findPassedSocket } from '../serve/passed-socket.ts'
import { type RunningServer, startServer } from '../serve/start-server.ts'
import { addExamples, commandName, defaultServer } from './options.ts'
import { createOutput, type Output } from './output.ts'
import { addSettingOptions, type SettingFlags } from './setting-options.ts'

const listFacts = (
  { url, demo }: RunningServer,
  { database, sandbox, profile, seed }: ServerConfig,
  { style }: Output,
): Readonly<Record<string, string>> => {
  const showOnce = (secret: string): string => `${style('bold', secret)}  (shown this once)`
  const createKey = `was shown when it was created; to create another: ${commandName} key create`
  return {
    API: url,
    database: formatDatabase(database),
    ...(sandbox && { sandbox: `profile ${profile}, seed ${seed}` }),
    ...(demo && {
      organization: demo.organizationId,
      'WABA number': demo.wabaNumber,
      'PSTN number': demo.pstnNumber,
      'API key': demo.apiKey === undefined ? createKey : showOnce(demo.apiKey),
    }),
    ...(demo?.webhookSecret !== undefined && { 'webhook secret': showOnce(demo.webhookSecret) }),
  }
}

const listNextSteps = (
  { url, demo }: RunningServer,
  { role, webhookUrl }: ServerConfig,
  { style }: Output,
): string[] => {
  if (role === 'worker') return []
  const server = url === defaultServer ? '' : ` --server ${url}`
  const format = (step: string, what: string): string =>
    `  ${style('bold', step)}  ${style('dim', `# ${what}`)}`
  const steps = ['', 'Next', format(`open ${url}${inspectorPath}`, 'the inspector')]
  if (demo === undefined) return steps
  steps.push(format(`${commandName} trigger call${server}`, 'simulate a call'))
  if (webhookUrl === undefined) {
    const command = `${commandName} listen${server} --forward-to http://127.0.0.1:3000/webhooks`
    steps.push(format(command, 'get its events'))
  }
  return steps
}

/** Maximum time for the process to end after the server has stopped, in milliseconds. */
const lingerMs = 1_000

const serve = async ({ config: file, ...flags }: SettingFlags, output: Output): Promise<void> => {
  const loaded = loadConfig({ flags, file })
  const config = {
    ...loaded,
    seed: loaded.seed ?? (loaded.sandbox ? Math.floor(Math.random() * 2 ** 32) : undefined),
  }
  const server = await startServer(config, { fd: findPassedSocket(process.env) })
  // Handles signals before printing the result, because a process that waits for the result may send a signal
  // immediately.
  const closed = closeOnSignal(server)
  const database = formatDatabase(config.database)
  const facts = Object.entries(listFacts(server, config, output))
  const lines = [
    `${output.style('green', 'ready')} ${server.url}`,
    ...facts.map(([name, value]) => `  ${name.padEnd(15)} ${value}`),
    ...listNextSteps(server, config, output),
  ]
  output.result({ ready: true, url: server.url, database, demo: server.demo ?? null }, lines.join('\n'))
  await closed
  // Everything is stored by now. A system call of a thread, such as a lookup by another library or a read from a hung network
  // drive, cannot be aborted, and `process.exit` would wait for it, too. The first process of a container cannot kill itself:
  // the container's runtime does it.
  setTimeout(() => {
    process.stderr.write('A system call does not end, so the process ends itself with SIGKILL.\n')
    process.kill(process.pid, 'SIGKILL')
  }, lingerMs).unref()
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
