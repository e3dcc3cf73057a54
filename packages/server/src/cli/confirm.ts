import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { Option } from 'commander'
import { CliError, exitCodes } from './output.ts'

export const createYesOption = (): Option => new Option('--yes', 'do it without asking')

type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
}

/** Asks for confirmation on a terminal. Throws a CliError unless the user agrees or `--yes` is set. */
export const confirm = async (
  question: string,
  { yes = false }: { readonly yes?: boolean },
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> => {
  if (yes) return
  if (!input.isTTY) {
    throw new CliError('Nothing was changed. Add --yes to do it without being asked.', exitCodes.usage)
  }
  const terminal = createInterface({ input, output })
  try {
    // Ctrl-C and Ctrl-D close the terminal. Depending on the version of Node.js, the question then rejects or stays open.
    const closed = once(terminal, 'close').then(() => '')
    const reply = await Promise.race([terminal.question(`${question} [y/N] `), closed]).catch(() => '')
    if (!/^y(?:es)?$/i.test(reply.trim())) throw new CliError('Nothing was changed.')
  } finally {
    terminal.close()
  }
}
