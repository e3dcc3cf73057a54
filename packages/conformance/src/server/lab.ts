import { endpoints } from '@wabakit/contract'
import { type ApiRequest, buildCurl, type Exchange } from './api/api-request.ts'
import type { Sender } from './api/create-sender.ts'
import type { PlayCall, Simulate } from './calls/simulate.ts'
import type { Listener } from './webhooks/listen.ts'

export type Need =
  | '--api-key'
  | '--waba-number'
  | '--other-key'
  | '--disabled-number'
  | '--listen'
  | '--secret'
  | '--play'
  | '--minutes'
  | '--wabakit-control'

type LabOptions = Sender & {
  readonly baseUrl: string
  readonly authHeader: string
  /** A shell command to run before the commands that repeat requests, if any. */
  readonly setKeyCommand: string | undefined
  readonly wabaNumber: string
  readonly disabledNumber: string
  readonly secret: string
  /** Milliseconds to wait for a response or webhook, for a second attempt, and for a webhook that must not arrive. */
  readonly wait: Readonly<Record<'timeoutMs' | 'retryTimeoutMs' | 'quietMs', number>>
  readonly listener: Listener | undefined
  readonly play: PlayCall | undefined
  readonly simulate: Simulate
  /** The options provided for this run. */
  readonly has: ReadonlySet<Need>
}

/** The operations and settings of all checks. */
export type Lab = ReturnType<typeof createLab>

export const createLab = ({ authHeader, setKeyCommand, play, simulate, ...lab }: LabOptions) => {
  const callIds = new Set<string>()
  let hasUnknown = false
  const note =
    <Options extends unknown[]>(make: (...options: Options) => Promise<string>) =>
    async (...options: Options): Promise<string> => {
      try {
        const id = await make(...options)
        callIds.add(id)
        return id
      } catch (error) {
        hasUnknown = true
        throw error
      }
    }
  const run = Date.now().toString(36)
  let ids = 0
  return {
    ...lab,
    play: play && note(play),
    simulate: {
      ...simulate,
      playSilentBotTest: simulate.playSilentBotTest && note(simulate.playSilentBotTest),
      playManualCall: simulate.playManualCall && note(simulate.playManualCall),
    },
    /** Returns the ids of all calls so far, or `undefined` if the id of a failed call is unknown. */
    callIds: (): ReadonlySet<string> | undefined => (hasUnknown ? undefined : callIds),
    createGroupId: (): string => {
      ids += 1
      // Includes capital letters, which a server must not change.
      return `Check-${run}-${ids}`
    },
    /** Returns shell commands that repeat the requests. */
    reproduce: (requests: readonly ApiRequest[]): string =>
      [
        ...(setKeyCommand === undefined ? [] : [setKeyCommand]),
        ...requests.map((request) => buildCurl(request, { baseUrl: lab.baseUrl, authHeader })),
      ].join(' &&\n'),
  }
}

/** A number without an integration. */
export const unknownNumber = '+19995550000'

/** Returns a create request with valid fields, except for those given. A field that is `undefined` is omitted. */
export const buildCreate = (lab: Lab, fields: object = {}, rest: Partial<ApiRequest> = {}): ApiRequest => ({
  ...endpoints['groups.create'],
  key: 'api',
  contentType: 'application/json',
  body: JSON.stringify({
    wabaNumber: lab.wabaNumber,
    subject: 'Acceptance check',
    groupId: lab.createGroupId(),
    ...fields,
  }),
  ...rest,
})

/** Returns a request for a call's summary. `undefined` omits the query. */
export const buildFetch = (callId: string | undefined, rest: Partial<ApiRequest> = {}): ApiRequest => {
  const { method, path } = endpoints['calls.getSummary']
  const query = callId === undefined ? '' : `?callId=${encodeURIComponent(callId)}`
  return { method, path: path + query, key: 'api', ...rest }
}

export const describeResponse = ({ response: { status, text } }: Exchange): string => {
  if (status === 0) return `no response (${text})`
  return text === '' ? `${status} without a body` : `${status} ${text.slice(0, 200)}`
}
