import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { checkNameServer } from './check-name-server.ts'
import { getFetchMessage, readErrorMessage } from './control-client.ts'
import { addExamples, createFormatOption, createOption, createServerOption, parseSeconds } from './options.ts'
import { CliError, createOutput, exitCodes, type Output } from './output.ts'

const pollMs = 100
const defaultWaitSeconds = 30

/** Returns why the server is not ready, or `undefined` if it is. */
const findProblem = async (server: string): Promise<string | undefined> => {
  try {
    await checkNameServer(server)
    const response = await fetch(`${server}/readyz`, { signal: AbortSignal.timeout(5_000) })
    return response.ok ? undefined : await readErrorMessage(response)
  } catch (error) {
    return getFetchMessage(error)
  }
}

const checkReady = async (server: string, waitSeconds: number, output: Output): Promise<void> => {
  const deadline = performance.now() + waitSeconds * 1_000
  for (;;) {
    const problem = await findProblem(server)
    if (problem === undefined) break
    if (performance.now() >= deadline) {
      throw new CliError(`${server} is not ready: ${problem}`, exitCodes.unreachable)
    }
    await sleep(pollMs)
  }
  output.result({ ready: true, server }, `${output.style('green', 'ready')} ${server}`)
}

export const define = (command: Command): void => {
  command
    .addOption(createServerOption())
    .addOption(
      createOption(
        '--wait [seconds]',
        `wait until the server is ready, at most ${defaultWaitSeconds} seconds by default`,
      ).argParser(parseSeconds),
    )
    .addOption(createFormatOption())
    .action(({ server, wait = 0, ...options }) =>
      checkReady(server, wait === true ? defaultWaitSeconds : wait, createOutput(options)),
    )
  addExamples(command, 'ready --wait', 'ready --wait 5 --server http://127.0.0.1:4100')
}
