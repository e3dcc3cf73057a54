import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { confirm, createYesOption } from './confirm.ts'
import { type Plan, planFiles } from './init/plan-files.ts'
import { addExamples, createFormatOption } from './options.ts'
import { createOutput, type Format, type Output } from './output.ts'

type InitOptions = { readonly yes?: boolean; readonly format: Format }

const formatPlan = ({ framework, files, kept }: Plan, { style }: Output): string =>
  [
    `${framework.name}. These files are new:`,
    ...files.flatMap(({ path, text }) => ['', style('bold', path), text.trimEnd().replace(/^/gm, '  ')]),
    ...(kept.length > 0 ? ['', `These exist and stay as they are: ${kept.join(', ')}`] : []),
  ].join('\n')

const init = async (options: InitOptions): Promise<void> => {
  const output = createOutput(options)
  const folder = process.cwd()
  const plan = planFiles(folder)
  if (output.format === 'pretty') output.result(plan, formatPlan(plan, output))
  if (plan.files.length === 0) return output.notice('There is nothing to write.')
  await confirm('Write these files?', options)
  for (const { path, text } of plan.files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // Uses `wx` to avoid overwriting a file that was created in the meantime.
    await writeFile(join(folder, path), text, { flag: 'wx' })
  }
  const written = plan.files.map(({ path }) => path)
  output.result(
    { framework: plan.framework.name, written, kept: plan.kept },
    [
      `${output.style('green', 'written')} ${written.join(', ')}`,
      'Add to your application:',
      ...plan.nextLines.map((line) => `  ${line}`),
      `Then run: ${plan.install}`,
      'For a local server that sends webhooks to it, and prints the variables of .env.wabakit.example, run:',
      '  npx @wabakit/server --webhook-url http://127.0.0.1:3000/webhooks',
    ].join('\n'),
  )
}

export const define = (command: Command): void => {
  command.addOption(createYesOption()).addOption(createFormatOption()).action(init)
  addExamples(command, 'init', 'init --yes')
}
