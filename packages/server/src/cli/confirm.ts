import { createInterface } from 'node:readline/promises'
import { Option } from 'commander'
import { CliError, exitCodes } from './output.ts'

export const createYesOption = (): Option => new Option('--yes', 'do it without asking')

/** Asks for confirmation on a terminal. Throws a CliError unless the user agrees or `--yes` is set. */
export const confirm = async (
  question: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<void> => {
  if (yes) return
  if (!process.stdin.isTTY) {
    throw new CliError('Nothing was changed. Add --yes to do it without being asked.', exitCodes.usage)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const reply = await terminal.question(`${question} [y/N] `)
    if (!/^y(?:es)?$/i.test(reply.trim())) throw new CliError('Nothing was changed.')
  } finally {
    terminal.close()
  }
}
