import { findContradictions } from '@wabakit/contract/profile'
import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { addExamples, createFormatOption, createOption } from './options.ts'
import { CliError, createOutput, type Format } from './output.ts'
import { parseProfileFile, readProfile } from './profile/profile-file.ts'
import { type BodyDescription, describeBody, explainMethods, formatKind } from './recording/describe-body.ts'
import { expectedForms, readRecords } from './recording/read-records.ts'

type CheckOptions = { readonly path?: string; readonly profile?: string; readonly format: Format }

const check = async (
  file: string,
  { path, profile: profileFile, ...options }: CheckOptions,
): Promise<void> => {
  const output = createOutput(options)
  const profile = profileFile === undefined ? undefined : readProfile(profileFile)
  const counts: Record<BodyDescription['kind'], number> = { event: 0, unknown: 0, drifted: 0, unreadable: 0 }
  const methods = new Set<string>()
  let skipped = 0
  for await (const { line, item, request } of readRecords(file, path)) {
    if (request === undefined) skipped += 1
    if (request === undefined || request === 'refused') continue
    // A capture may contain requests other than webhooks, such as the health checks of a tunnel.
    if (request.method !== 'POST') {
      methods.add(request.method)
      continue
    }
    const description = describeBody(request.body, profile)
    counts[description.kind] += 1
    const reasons = description.reasons.map((reason) => `\n       ${escapeControls(reason)}`)
    output.result(
      { line, item, ...description },
      `${`${line}${item === undefined ? '' : `[${item}]`}`.padStart(5)}  ${formatKind(output, description)}${reasons.join('')}`,
    )
  }
  if (methods.size > 0) output.notice(explainMethods(methods))
  const contradictions = profile === undefined ? [] : findContradictions(profile)
  if (contradictions.length > 0)
    output.notice(`The profile has different answers, and each is accepted: ${contradictions.join(', ')}.`)
  if (skipped > 0) output.notice(`Skipped ${skipped} without ${escapeControls(path ?? '')}.`)
  const total = Object.values(counts).reduce((sum, count) => sum + count)
  if (total === 0) throw new CliError(`There is no body in ${file}. ${expectedForms}`)
  if (counts.event + counts.drifted === 0) output.notice(expectedForms)
  const summary = Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []))
  if (counts.drifted + counts.unreadable > 0) throw new CliError(`Of ${total}: ${summary.join(', ')}.`)
  output.notice(`Of ${total}: ${summary.join(', ')}.`)
}

export const define = (command: Command): void => {
  command
    .description(
      'compare received bodies with the contract; exits with 1 if one has drifted or is unreadable',
    )
    .argument('<file>', 'file with the bodies, or - for standard input')
    .option('--path <field>', 'field of each record that contains the body, such as body or req.body')
    .addOption(
      createOption(
        '--profile <file>',
        'wabakit.profile.json of the sender: what it was seen to send is accepted',
      ).argParser(parseProfileFile),
    )
    .addOption(createFormatOption())
    .addHelpText('after', `\n${command.createHelp().boxWrap(expectedForms, 80)}`)
    .action(check)
  addExamples(command, 'check webhooks.jsonl', 'check app.log --path req.body', 'check - --format json')
}
