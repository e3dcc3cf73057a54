import type { Command } from 'commander'
import { examples } from '../examples.ts'
import type { ProgramContext } from '../program-context.ts'
import { addSettings } from '../setting-options.ts'

/** Adds `wabakit exec`. */
export const addExec = (program: Command, { exitWith }: ProgramContext): void => {
  addSettings(program.command('exec'))
    .description('run a command beside a server of its own, found by WABAKIT_BASE_URL and WABAKIT_API_KEY')
    .argument('<command...>', 'what to run, after --')
    .addHelpText('after', examples('exec -- npm test'))
    .action(async (command, { format: _, ...flags }) => {
      exitWith(await (await import('../actions/exec.ts')).exec(command, flags))
    })
}
