import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Command, Option } from 'commander'
import { ask, confirm, createYesOption } from './confirm.ts'
import { type Choices, type Plan, planFiles } from './init/plan-files.ts'
import { type SenderKind, senderKinds } from './init/senders.ts'
import { addExamples, createFormatOption } from './options.ts'
import { CliError, createOutput, exitCodes, type Format, type Output } from './output.ts'

type InitOptions = Choices & { readonly yes?: boolean; readonly format: Format }

const isSenderKind = (text: string): text is SenderKind => senderKinds.some((kind) => kind === text)

/** Asks for the choices that the options omit, on a terminal and without `--yes`. */
const completeChoices = async (options: InitOptions): Promise<Choices> => {
  if (options.yes) return options
  const kinds = senderKinds.join(', ')
  const verify = options.verify ?? ((await ask(`How does the sender authenticate? ${kinds} [url]`)) || 'url')
  if (!isSenderKind(verify)) throw new CliError(`The answer must be one of ${kinds}.`, exitCodes.usage)
  if (options.inbox !== undefined) return { verify, inbox: options.inbox }
  const answer = await ask('Store each webhook in a database before it is answered, in an inbox? [Y/n]')
  return { verify, inbox: /^no?$/i.test(answer) ? false : undefined }
}

const formatPlan = ({ framework, files, kept }: Plan, { style }: Output): string =>
  [
    `${framework.name}. ${files.length > 0 ? 'These files are new:' : 'No file is new.'}`,
    ...files.flatMap(({ path, text }) => ['', style('bold', path), text.trimEnd().replace(/^/gm, '  ')]),
    ...(kept.length > 0 ? ['', `These exist and stay as they are: ${kept.join(', ')}`] : []),
  ].join('\n')

const listServerSteps = ({ header, token, variable, port, database, files }: Plan): string[] => {
  const url = `http://127.0.0.1:${port}/webhooks`
  const stored = [
    ...(database === undefined
      ? []
      : ['What the inbox has stored:', `  npx @wabakit/server inbox list --database ${database}`]),
    `Keep out of git: wabakit.db*${database?.endsWith('.db') ? ` ${database}*` : ''}`,
  ]
  if (token)
    return [
      `Start your application on port ${port} with ${variable}=${token}`,
      ...(files.length > 0
        ? []
        : [
            'This token is new. If you have registered one, keep it. To make another one: openssl rand -hex 16',
          ]),
      'For a local server that imitates a live service, and a call whose webhooks it sends, run in two other terminals:',
      `  npx @wabakit/server --sandbox --profile live --webhook-url '${url}?token=${token}'`,
      '  npx @wabakit/server trigger call',
      ...stored,
      `At the live service, register https://<your host>/webhooks?token=${token}`,
    ]
  if (header === undefined)
    return [
      'For a local server that sends webhooks to it, and prints the variables of .env.wabakit.example, run:',
      `  npx @wabakit/server --webhook-url ${url}`,
      ...stored,
    ]
  return [
    'For a local server, and webhooks from it, run in two terminals:',
    '  npx @wabakit/server',
    `  npx @wabakit/server listen --forward-to ${url} --header "${header.join(': ')}"`,
    ...stored,
  ]
}

const init = async (options: InitOptions): Promise<void> => {
  const output = createOutput(options)
  const folder = process.cwd()
  const plan = planFiles(folder, await completeChoices(options))
  if (output.format === 'pretty') output.result(plan, formatPlan(plan, output))
  if (plan.files.length === 0) output.notice('There is nothing to write.')
  else await confirm('Write these files?', options)
  for (const { path, text } of plan.files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // Uses `wx` to avoid overwriting a file that was created in the meantime.
    await writeFile(join(folder, path), text, { flag: 'wx' })
  }
  const written = plan.files.map(({ path }) => path)
  output.result(
    { framework: plan.framework.name, written, kept: plan.kept, token: plan.token || undefined },
    [
      ...(written.length > 0 ? [`${output.style('green', 'written')} ${written.join(', ')}`] : []),
      'Add to your application:',
      ...plan.nextLines.map((line) => `  ${line}`),
      `Then run: ${plan.install}`,
      plan.runner === 'jest'
        ? 'Its test: node --experimental-vm-modules node_modules/jest/bin/jest.js (as the script test: npm test)'
        : 'Its test: npx vitest run',
      ...listServerSteps(plan),
    ].join('\n'),
  )
}

export const define = (command: Command): void => {
  command
    .addOption(new Option('--verify <kind>', 'how the sender authenticates').choices(senderKinds))
    .option('--inbox', 'store each webhook before it is answered, in PostgreSQL or SQLite')
    .option('--no-inbox', 'handle each webhook before it is answered')
    .addOption(createYesOption())
    .addOption(createFormatOption())
    .action(init)
  addExamples(command, 'init', 'init --yes --verify header --inbox')
}
