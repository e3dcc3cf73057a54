import { existsSync } from 'node:fs'
import {
  ExaminationUsageError,
  formatForm,
  type ProbeAnswer,
  type ProbeOptions,
  probeQuestions,
  probeService,
  TargetUnreachableError,
} from '@wabakit/conformance'
import { addSeen, findContradictions, listVariants, type MeasuredProfile } from '@wabakit/contract/profile'
import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { confirm, createYesOption } from './confirm.ts'
import { checkSecrecy } from './control-client.ts'
import { addExamples, addOptions, createFormatOption, parseSeconds, parseUrl, readIds } from './options.ts'
import { CliError, createOutput, exitCodes, type Format, type Output } from './output.ts'
import {
  openProfile,
  parseProfileFile,
  readProfile,
  usualProfile,
  writeProfile,
} from './profile/profile-file.ts'

type ProbeFlags = {
  readonly apiKey: string
  readonly pstnCall?: readonly string[]
  readonly whatsappCall?: readonly string[]
  readonly wrongKey?: boolean
  readonly createGroup?: boolean
  readonly subject?: string
  readonly wabaNumber?: string
  readonly yes?: boolean
  readonly check?: boolean
  readonly interval: number
  readonly profile?: string
  readonly format: Format
}

const readGroup = async ({
  createGroup,
  subject,
  wabaNumber,
  yes,
}: ProbeFlags): Promise<ProbeOptions['createGroup']> => {
  if (!createGroup) return undefined
  if (!subject || !wabaNumber)
    throw new CliError('--create-group needs --subject and --waba-number.', exitCodes.usage)
  const question = `Create the group ${JSON.stringify(subject)} on ${wabaNumber}? It counts toward the groups of your plan.`
  await confirm(escapeControls(question), { yes: yes === true })
  return { subject, wabaNumber }
}

const runProbe = async (options: ProbeOptions) => {
  try {
    return await probeService(options)
  } catch (cause) {
    if (cause instanceof TargetUnreachableError)
      throw new CliError(cause.message, exitCodes.unreachable, { cause })
    if (cause instanceof ExaminationUsageError) throw new CliError(cause.message, exitCodes.usage, { cause })
    throw cause
  }
}

const print = ({ question, form, reason }: ProbeAnswer, { result, style }: Output): void => {
  const { asks, specification, live } = probeQuestions[question]
  const seen = form === undefined ? `no answer: ${reason}` : formatForm(form)
  result(
    { question, asks, seen: form ?? null, reason: reason ?? null, specification, live },
    [
      `${style('bold', asks)} ${style('dim', question)}`,
      `  seen           ${escapeControls(seen)}`,
      `  specification  ${specification}`,
      `  live           ${live}`,
    ].join('\n'),
  )
}

const addAnswers = (profile: MeasuredProfile, answers: readonly ProbeAnswer[]): MeasuredProfile => {
  const api = { ...profile.api }
  const at = new Date()
  for (const { question, form } of answers)
    if (form !== undefined) api[question] = addSeen(api[question], { value: form, source: 'probe', at })
  return { ...profile, api }
}

/** Lists the questions that the profile answers, and that have another answer now. */
const findChanges = (profile: MeasuredProfile, answers: readonly ProbeAnswer[]): string[] => {
  const extended = addAnswers(profile, answers)
  const changed = answers.flatMap(({ question }) => {
    const known = listVariants(profile.api[question]).length
    return known > 0 && listVariants(extended.api[question]).length > known ? [question] : []
  })
  return [...new Set(changed)]
}

const probe = async (baseUrl: string, flags: ProbeFlags): Promise<void> => {
  const output = createOutput(flags)
  const file = flags.profile ?? usualProfile
  checkSecrecy(baseUrl, 'the API key')
  if (flags.check && !existsSync(file))
    throw new CliError(`There is no ${file} to compare with.`, exitCodes.usage)
  const profile = flags.check ? readProfile(file) : openProfile(file)
  const createGroup = await readGroup(flags)
  const intervalMs = flags.interval * 1_000
  output.notice(`Asking at most 20 questions, one every ${flags.interval} s.`)
  const { answers, requests, endedBy } = await runProbe({
    baseUrl,
    apiKey: flags.apiKey,
    pstnCalls: flags.pstnCall,
    whatsAppCalls: flags.whatsappCall,
    wrongKey: flags.wrongKey,
    createGroup,
    intervalMs,
  })
  for (const answer of answers) print(answer, output)
  const extended = addAnswers(profile, answers)
  if (endedBy !== undefined) output.notice(`The probe ended early: ${endedBy}.`)
  if (flags.check) {
    const changes = findChanges(profile, answers)
    if (changes.length > 0) throw new CliError(`Other answers than in ${file}: ${changes.join(', ')}.`)
    output.notice(`${requests} requests, no other answers than in ${file}.`)
    return
  }
  if (!answers.some(({ form }) => form !== undefined))
    throw new CliError('Nothing was seen, and nothing written.')
  writeProfile(file, extended)
  const contradictions = findContradictions(extended)
  if (contradictions.length > 0)
    output.notice(`Different answers to the same question: ${contradictions.join(', ')}.`)
  output.notice(
    `${requests} requests. ${file} has the answers, for createMock, exec --mock, check and doctor.`,
  )
}

export const define = (command: Command): void => {
  command
    .description(
      'ask a live service, slowly and without judging it, where services differ: GETs with a valid key or none, at most 20 requests; a 429 ends it',
    )
    .argument('<base-url>', 'base URL of its public API', parseUrl)
    .action(probe)
  addOptions(command, {
    '--api-key <key>': { about: 'key of the service', isRequired: true },
    '--pstn-call <ids>': { about: 'PSTN calls that have a summary, separated by commas', parse: readIds },
    '--whatsapp-call <ids>': { about: 'WhatsApp calls that have a summary', parse: readIds },
    '--create-group': 'create one group, after a confirmation; needs --subject and --waba-number',
    '--subject <text>': 'name of that group',
    '--waba-number <number>': 'WABA number of that group',
    '--wrong-key': 'send one request with a wrong key, at the end',
    '--interval <seconds>': { about: 'time between two requests', parse: parseSeconds, default: 6 },
    '--profile <file>': {
      about: `file to write the answers to, or to extend (default: ${usualProfile})`,
      parse: parseProfileFile,
    },
    '--check': 'write nothing, and exit with 1 if an answer is not in the file',
  })
    .addOption(createYesOption())
    .addOption(createFormatOption())
  addExamples(
    command,
    'probe https://api.example.com --api-key $KEY --pstn-call call_1 --whatsapp-call call_2',
    'probe https://api.example.com --api-key $KEY --check',
  )
}
