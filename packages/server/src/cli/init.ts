import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { CliError, exitCodes } from './cli-error.ts'
import { type Plan, planFiles } from './init/plan-files.ts'
import { addExamples, createFormatOption } from './options.ts'
import { createOutput, type Format, type Output } from './output.ts'

type InitOptions = { readonly yes?: boolean; readonly format: Format }

const formatPlan = ({ framework, files, kept }: Plan, { style }: Output): string =>
  [
    `${framework.name}. These files are new:`,
    ...files.flatMap(({ path, text }) => [
      '',
      style('bold', path),
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`),
    ]),
    ...(kept.length > 0 ? ['', `These exist and stay as they are: ${kept.join(', ')}`] : []),
  ].join('\n')

const confirm = async (): Promise<boolean> => {
  if (!process.stdin.isTTY) {
    throw new CliError(
      'Nothing was written. Add --yes to write these files without being asked.',
      exitCodes.usage,
    )
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Write these files? [y/N] ')).trim())
  } finally {
    terminal.close()
  }
}

const init = async ({ yes = false }: InitOptions, output: Output): Promise<void> => {
  const folder = process.cwd()
  const plan = planFiles(folder)
  if (output.format === 'pretty') output.result(plan, formatPlan(plan, output))
  if (plan.files.length === 0) return output.notice('There is nothing to write.')
  if (!yes && !(await confirm())) return output.notice('Nothing was written.')
  for (const { path, text } of plan.files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // A file that was created meanwhile is not overwritten either.
    await writeFile(join(folder, path), text, { flag: 'wx' })
  }
  const written = plan.files.map(({ path }) => path)
  output.result(
    { framework: plan.framework.name, written, kept: plan.kept },
    [
      `${output.style('green', 'written')} ${written.join(', ')}`,
      plan.framework.nextStep,
      `Then run: ${plan.install}`,
      'Set the variables of .env.wabakit.example, and run: npx wabakit serve',
    ].join('\n'),
  )
}

export const define = (command: Command): void => {
  command
    .option('--yes', 'write without asking')
    .addOption(createFormatOption())
    .action((options: InitOptions) => init(options, createOutput(options)))
  addExamples(command, 'init', 'init --yes')
}
