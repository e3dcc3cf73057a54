import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { MeasuredProfile } from '@wabakit/contract/profile'
import { namesOneHost } from '@wabakit/core/hosting'
import { escapeControls, maskUrl } from '@wabakit/wire'
import type { Command } from 'commander'
import { toListenError } from '../http/listen-error.ts'
import { closeOnSignal } from '../serve/close-on-signal.ts'
import { formatTime } from './lines.ts'
import {
  addExamples,
  addOptions,
  collectHeader,
  createFormatOption,
  createNumberParser,
  parseUrl,
} from './options.ts'
import { createOutput, type Format, type Output } from './output.ts'
import { type Outcome, observeDeliveries } from './profile/observe-deliveries.ts'
import { openProfile, parseProfileFile, usualProfile, writeProfile } from './profile/profile-file.ts'
import { describeBody, explainMethods, formatKind } from './recording/describe-body.ts'
import { openRecorder } from './recording/open-recorder.ts'
import { createRequestReader } from './recording/read-request.ts'
import { formatLine, formatRefusal, type RecordedRequest } from './recording/recorded-request.ts'
import { type ReceivedResponse, resolveTarget, sendRequest } from './recording/send-request.ts'

type CaptureOptions = {
  readonly port: number
  readonly record: string
  readonly forwardTo?: string
  readonly keepSecrets?: boolean
  readonly registeredHeader?: readonly (readonly [name: string, value: string])[]
  readonly profile?: string
  readonly format: Format
}

/** The tunnel runs on this machine, so no other machine needs to connect. */
const host = '127.0.0.1'
const graceMs = 5_000
const requestTimeoutMs = 30_000

const respond = (outgoing: ServerResponse, { status, headers, body }: ReceivedResponse): void => {
  outgoing.statusCode = status
  for (const [name, value] of headers) outgoing.appendHeader(name, value)
  outgoing.end(body)
}

const answer = (status: number, text = ''): ReceivedResponse => ({
  status,
  headers: [['content-type', 'text/plain']],
  body: Buffer.from(text),
})

const isSuccess = ({ status }: Pick<ReceivedResponse, 'status'>): boolean => status >= 200 && status < 300

const createCapture = async (options: CaptureOptions, output: Output) => {
  const { record, forwardTo, keepSecrets = false } = options
  const file = options.profile ?? usualProfile
  const observer = observeDeliveries({
    profile: openProfile(file),
    registered: options.registeredHeader ?? [],
    now: () => performance.timeOrigin + performance.now(),
  })
  const recorder = await openRecorder(record)
  const read = createRequestReader()
  let isObserved = false

  const save = (profile: MeasuredProfile): void => {
    try {
      writeProfile(file, profile)
    } catch (error) {
      output.notice(error instanceof Error ? error.message : String(error))
    }
  }

  /** Adds what a request shows to the profile. Returns a function for the end of its attempt, if it shows anything. */
  const observe = async (request: RecordedRequest): Promise<((outcome: Outcome) => void) | undefined> => {
    const settle = await observer.add(request)
    if (settle === undefined) return undefined
    isObserved = true
    save(observer.getProfile())
    return settle
  }

  /** Appends a line. Returns whether that succeeded. */
  const append = (line: string): Promise<boolean> =>
    recorder.append(line).then(
      () => true,
      (error: Error) => {
        output.notice(`${record} cannot be written: ${error.message}`)
        return false
      },
    )

  const forward = async (request: RecordedRequest): Promise<ReceivedResponse> => {
    if (forwardTo === undefined) return answer(200)
    try {
      return await sendRequest(request, resolveTarget(forwardTo, request.path))
    } catch (error) {
      output.notice(`${maskUrl(forwardTo)} did not answer: ${error instanceof Error ? error.message : error}`)
      return answer(502, 'The application did not answer.')
    }
  }

  /** Records a request before the response, because the sender does not repeat it after a success. */
  const take = async (request: RecordedRequest): Promise<ReceivedResponse> => {
    const receivedAt = new Date()
    if (!(await append(formatLine(request, { receivedAt, keepSecrets }))))
      return answer(500, 'The request was not recorded.')
    const response = await forward(request)
    if (!isSuccess(response)) await append(formatRefusal(response.status, { receivedAt }))
    return response
  }

  const methods = new Set(['POST'])
  const print = ({ method, path, body }: RecordedRequest, { status }: ReceivedResponse): void => {
    if (!methods.has(method)) output.notice(explainMethods(new Set([method])))
    methods.add(method)
    const description = describeBody(body)
    // The query may contain a secret.
    const [place = ''] = path.split('?')
    const outcome = output.style(isSuccess({ status }) ? 'green' : 'red', `[${status}]`)
    const subject = method === 'POST' ? ` ${formatKind(output, description)}` : ''
    output.result(
      { method, path: place, bytes: body.length, status, ...description },
      `${output.style('dim', formatTime())} ${outcome} ${method} ${escapeControls(place)} ${body.length} bytes${subject}`,
    )
  }

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    if (!namesOneHost(incoming))
      return respond(outgoing, answer(400, 'The request must have one Host header.'))
    const response = await read(incoming, async (request) => {
      const [taken, settle] = await Promise.all([take(request), observe(request)])
      // If its connection is closed by now, the sender counts as having given up.
      settle?.(incoming.socket.destroyed ? 'Timeout' : isSuccess(taken) ? 'Success' : 'Failure')
      print(request, taken)
      return taken
    })
    if (typeof response === 'object') return respond(outgoing, response)
    output.notice('A request was refused, because the bodies that are being received exceed 64 MiB.')
    respond(outgoing, answer(response))
  }

  // The time for a request is limited, because a body that is sent slowly occupies memory that all bodies share.
  const server = createServer({ requestTimeout: requestTimeoutMs }, (incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: Error) => {
      output.notice(`A request was lost: ${error.message}`)
      outgoing.destroy()
    })
  })
  return {
    listen: (): Promise<number> =>
      new Promise((resolve, reject) => {
        server.once('error', (error) => reject(toListenError(error, { host, port: options.port })))
        server.listen(options.port, host, () => {
          const address = server.address()
          resolve(typeof address === 'object' && address !== null ? address.port : options.port)
        })
      }),
    close: async (): Promise<void> => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        setTimeout(() => server.closeAllConnections(), graceMs).unref()
      })
      await recorder.close()
      if (isObserved) save(observer.end())
    },
  }
}

const capture = async (options: CaptureOptions): Promise<void> => {
  const output = createOutput(options)
  const server = await createCapture(options, output)
  const port = await server.listen()
  const closed = closeOnSignal(server)
  const { record } = options
  const forwardTo = options.forwardTo && maskUrl(options.forwardTo)
  const url = `http://${host}:${port}`
  const target = forwardTo === undefined ? '' : `, and forwards to ${forwardTo}`
  output.result(
    { ready: true, url, record, forwardTo: forwardTo ?? null },
    `${output.style('green', 'ready')} ${url} records to ${escapeControls(record)}${target}`,
  )
  await closed
}

export const define = (command: Command): void => {
  command
    .description(
      'record the webhooks that arrive through a tunnel, for check and replay; each is on the disk before it is answered',
    )
    .action(capture)
  addOptions(command, {
    '--port <number>': {
      about: 'port on 127.0.0.1; 0 takes a free one',
      parse: createNumberParser(
        'a port, from 0 to 65535',
        (port) => Number.isInteger(port) && port >= 0 && port <= 65_535,
      ),
      isRequired: true,
    },
    '--record <file>': { about: 'file to append to, one request per line', isRequired: true },
    '--forward-to <url>': {
      about: 'application that answers (default: 200 to all); without a path, each request keeps its own',
      parse: parseUrl,
    },
    '--profile <file>': {
      about: `file to write what deliveries show to, or to extend (default: ${usualProfile})`,
      parse: parseProfileFile,
    },
  })
    .option(
      '--registered-header <name: value>',
      'header that you registered, to see whether it is sent (repeatable)',
      collectHeader,
    )
    .option('--keep-secrets', 'record all headers and the query; by default, only harmless headers')
    .addOption(createFormatOption())
  addExamples(
    command,
    'capture --port 8080 --record webhooks.jsonl',
    'capture --port 8080 --record webhooks.jsonl --forward-to http://127.0.0.1:3000',
  )
}
