import { getResponseLine, readResponseBody } from '@wabakit/core/hosting'
import { maskUrl } from '@wabakit/wire'
import type { Command } from 'commander'
import { formatAttempt } from './lines.ts'
import { addExamples, addOptions, collectHeader, createFormatOption, parseUrl } from './options.ts'
import { CliError, createOutput, exitCodes, type Format } from './output.ts'
import { explainMethods } from './recording/describe-body.ts'
import { readRecords } from './recording/read-records.ts'
import type { RecordedRequest } from './recording/recorded-request.ts'
import { resolveTarget, sendRequest } from './recording/send-request.ts'
import { signPayload } from './sign.ts'

type ReplayOptions = {
  readonly to: string
  readonly secret?: string
  readonly header?: readonly [string, string][]
  readonly format: Format
}

/** Returns a copy of a request in which the given headers replace those with the same names. */
const replaceHeaders = (
  request: RecordedRequest,
  headers: readonly (readonly [string, string])[],
): RecordedRequest => {
  const names = headers.map(([name]) => name)
  const kept = request.headers.filter(([name]) => !names.includes(name.toLowerCase()))
  return { ...request, headers: [...kept, ...headers] }
}

/** Signs a request with the current time. Keeps any `webhook-id`, by which the receiver recognizes a duplicate. */
const signRequest = async (request: RecordedRequest, secret: string): Promise<RecordedRequest> => {
  const [, id] = request.headers.find(([name]) => name.toLowerCase() === 'webhook-id') ?? []
  const { headers } = await signPayload({ payload: request.body, secret, ...(id && { id }) })
  const signature = Object.entries(headers).filter(([name]) => name !== 'content-type')
  return replaceHeaders(request, signature)
}

const replay = async (file: string, { to, secret, header = [], format }: ReplayOptions): Promise<void> => {
  const output = createOutput({ format })
  const counts = { sent: 0, answered: 0, failed: 0, refused: 0 }
  const methods = new Set<string>()
  for await (const { line, item, request } of readRecords(file)) {
    if (request === undefined) continue
    if (request === 'refused') {
      counts.refused += 1
      continue
    }
    if (request.method !== 'POST') methods.add(request.method)
    const signed = secret === undefined ? request : await signRequest(request, secret)
    const url = resolveTarget(to, request.path)
    const secrets = Object.fromEntries(header)
    const startedAt = performance.now()
    const result = await sendRequest(replaceHeaders(signed, header), url).then(
      async ({ status, body }) => {
        const response = getResponseLine(await readResponseBody(body.toString(), secrets, url.href))
        return { status, error: null, response }
      },
      (error: Error) => ({ status: null, error: error.message || 'no response', response: null }),
    )
    const durationMs = performance.now() - startedAt
    counts.sent += 1
    if (result.status !== null) counts.answered += 1
    if (result.status === null || result.status < 200 || result.status > 299) counts.failed += 1
    const attempt = { url: maskUrl(url.href), durationMs, ...result }
    output.result({ line, item, ...attempt }, formatAttempt(output, attempt))
  }
  if (counts.sent === 0) throw new CliError(`There is no request in ${file}.`)
  if (methods.size > 0) output.notice(explainMethods(methods))
  // With a new signature, a forged request that the application had refused would pass as genuine. It may also not have answered.
  if (counts.refused > 0)
    output.notice(`${counts.refused} of ${counts.sent} were not accepted when they were recorded.`)
  if (counts.failed > 0)
    throw new CliError(
      `${counts.failed} of ${counts.sent} failed.`,
      counts.answered === 0 ? exitCodes.unreachable : exitCodes.failed,
    )
}

export const define = (command: Command): void => {
  command
    .description('send recorded requests again, in order, each after the response to the one before')
    .argument(
      '<file>',
      'file that capture has recorded, or that contains bodies as JSON; - for standard input',
    )
    .action(replay)
  addOptions(command, {
    '--to <url>': {
      about: 'URL to send to; without a path, each request keeps its own',
      parse: parseUrl,
      isRequired: true,
    },
    '--secret <secret>': 'sign each request anew with this secret (whsec_…)',
  })
    .option(
      '--header <name: value>',
      'header of every request instead of the recorded one, such as "authorization: Bearer …" (repeatable)',
      collectHeader,
    )
    .addOption(createFormatOption())
  addExamples(
    command,
    'replay webhooks.jsonl --to http://127.0.0.1:3000/webhooks --secret whsec_…',
    'replay webhooks.jsonl --to http://127.0.0.1:3000 --header "x-webhook-token: …"',
  )
}
