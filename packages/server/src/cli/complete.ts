import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { addExamples } from './options.ts'

/** Adds the command that prints the script of a shell, and answers that script. */
export const defineCompletion = (program: Command): void => {
  tab(program)
  const command = program.commands.find((each) => each.name() === 'complete')
  if (command === undefined) throw new TypeError('The library has added no command.')
  command.description('print a script that completes commands and options in bash, zsh, fish or PowerShell')
  addExamples(
    command.helpGroup('Start:'),
    'complete bash > ~/.local/share/bash-completion/completions/wabakit',
    'complete zsh > ~/.zfunc/_wabakit',
    'complete fish > ~/.config/fish/completions/wabakit.fish',
  )
}
