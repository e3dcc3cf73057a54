import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { formatOption, option, seconds, serverOption } from '../options.ts'
import { outputOf } from '../output.ts'

/** Adds `wabakit ready`. */
export const addReady = (program: Command): void => {
  program
    .command('ready')
    .description('tell whether a server is ready')
    .addOption(serverOption())
    .addOption(
      option('--wait [seconds]', 'wait until it is, for 30 seconds or as many as given').argParser(seconds),
    )
    .addOption(formatOption())
    .addHelpText('after', examples('ready --wait', 'ready --wait 5 --server http://127.0.0.1:4100'))
    .action(async ({ wait, ...options }) => {
      const waited = wait === true ? 30 : wait
      await (await import('../actions/ready.ts')).ready({ ...options, wait: waited }, outputOf(options))
    })
}
