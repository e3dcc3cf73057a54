import type { Issue } from '@wabakit/contract'
import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { CliError, exitCodes } from './output.ts'

/** The server refuses values of the command. Each issue names the field of one. */
export class InputRefusedError extends CliError {
  readonly issues: readonly Issue[]

  constructor(message: string, issues: readonly Issue[], options: ErrorOptions) {
    super(message, exitCodes.usage, options)
    this.issues = issues
  }
}

/** Returns the option or the argument that sets a field (`--limit`, `<number>`, `--set summary.recap`), or else its path. */
const nameInput = (path: string, command: Command): string => {
  const [field = ''] = path.split('.')
  const option = command.options.find((each) => each.attributeName() === field)
  if (option?.long) return option.long
  if (command.registeredArguments.some((argument) => argument.name() === field)) return `<${field}>`
  return command.options.some(({ long }) => long === '--set') ? `--set ${path}` : path
}

/** Returns the name of a command after those of its parents: `wabakit deliveries list`. */
export const getCommandPath = (command: Command): string =>
  command.parent === null ? command.name() : `${getCommandPath(command.parent)} ${command.name()}`

/** Names values that the server refuses by the options and arguments that set them. */
export const nameInputs = (error: InputRefusedError, command: Command): CliError => {
  const lines = error.issues.map(({ path, message }) => {
    const reason = message.startsWith(`${path} `) ? message.slice(path.length + 1) : message
    return escapeControls(`${nameInput(path, command)} ${reason}`)
  })
  const help = `(see ${getCommandPath(command)} --help)`
  return new CliError([...lines, help].join('\n'), exitCodes.usage, { cause: error.cause })
}
