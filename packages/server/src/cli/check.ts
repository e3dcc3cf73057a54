import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { addExamples, createFormatOption } from './options.ts'
import { CliError, createOutput, type Format } from './output.ts'
import { type BodyDescription, describeBody, explainMethods, formatKind } from './recording/describe-body.ts'
import { readLines } from './recording/read-lines.ts'
import { parseLine } from './recording/recorded-request.ts'

const check = async (file: string, options: { readonly format: Format }): Promise<void> => {
  const output = createOutput(options)
  const counts: Record<BodyDescription['kind'], number> = { event: 0, unknown: 0, drifted: 0, unreadable: 0 }
  const methods = new Set<string>()
  for await (const { number, bytes } of readLines(file)) {
    const recorded = parseLine(bytes)
    // A capture may contain requests other than webhooks, such as the health checks of a tunnel.
    if (recorded === 'refused') continue
    if (recorded.method !== 'POST') {
      methods.add(recorded.method)
      continue
    }
    const description = describeBody(recorded.body)
    counts[description.kind] += 1
    const reasons = description.reasons.map((reason) => `\n       ${escapeControls(reason)}`)
    output.result(
      { line: number, ...description },
      `${String(number).padStart(5)}  ${formatKind(output, description)}${reasons.join('')}`,
    )
  }
  if (methods.size > 0) output.notice(explainMethods(methods))
  const total = Object.values(counts).reduce((sum, count) => sum + count)
  if (total === 0) throw new CliError(`There is no body in ${file}.`)
  const summary = Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []))
  if (counts.drifted + counts.unreadable > 0) throw new CliError(`Of ${total}: ${summary.join(', ')}.`)
  output.notice(`Of ${total}: ${summary.join(', ')}.`)
}

export const define = (command: Command): void => {
  command
    .description(
      'compare received bodies with the contract: one per line, or what capture has recorded; exits with 1 if one has drifted or is unreadable',
    )
    .argument('<file>', 'file with the bodies, or - for standard input')
    .addOption(createFormatOption())
    .action(check)
  addExamples(command, 'check webhooks.jsonl', 'check - --format json')
}
